// @ts-check
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { alternate } from './rounds.mjs';

const SCHEMAS = 1000;
const TURNS = 6;

/** CPU milliseconds to rewrite a thousand awkward schemas for Codex, and to parse the same texts.
 * @param {'codex' | 'codex-legacy'} profile */
export async function normalizeMs(profile) {
  const { PROFILES } = await loadProfiles();
  const texts = Array.from({ length: SCHEMAS }, (_, at) => JSON.stringify(awkward(at)));
  const { rewrite } = PROFILES[profile];
  return alternate({
    turns: TURNS,
    ours: async () => cpuMs(() => texts.forEach((text) => void rewrite(text))),
    theirs: async () => cpuMs(() => texts.forEach((text) => void JSON.parse(text))),
  });
}

/** @param {() => void} work */
function cpuMs(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns a schema with every feature that Codex mishandles. No two are equal. @param {number} at */
function awkward(at) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Schema ${at}`,
    properties: {
      count: { type: 'integer', minimum: at, maximum: at + 10, default: at, description: 'How often it is done' },
      free: { description: 'Whatever the server understands' },
      nothing: { type: ['string', 'null'], minLength: 1, pattern: '^[a-z]+$', examples: ['abc', null] },
      choice: { enum: ['one', 'two', at, null] },
      fixed: { const: `value ${at}` },
      pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] },
      list: { type: 'array' },
      node: { $ref: '#/$defs/node' },
      either: { anyOf: [{ type: 'string', format: 'date-time' }, { properties: { deep: { type: 'integer' } } }] },
      map: { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      yes: true,
    },
    required: ['count', 'free'],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, value: { type: 'integer' } } } },
  };
}

/** Bundles the profiles, which are otherwise available only inside the gateway's bundle.
 * @returns {Promise<typeof import('../../src/schema/profiles/registry.ts')>} */
async function loadProfiles() {
  const entry = fileURLToPath(new URL('../../src/schema/profiles/registry.ts', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`);
}
