// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './esbuild-options.mjs';

/**
 * Modules that a successful command rarely calls: explanations of failures, redaction, rare formats. A command loads
 * each at the first call of one of its functions, so that it does not compile code that it does not run. The sources
 * import them as usual.
 */
const RARELY_USED = new Set([
  'src/base/error-table.ts',
  'src/base/error-translation.ts',
  'src/base/process/error-line.ts',
  'src/base/redaction/redact.ts',
  'src/base/redaction/redact-error.ts',
  'src/base/text/escape-long-text.ts',
  'src/base/text/nearest-names.ts',
  'src/base/text/neutralized-copy.ts',
  'src/cli/input-schema/name-advice.ts',
  'src/cli/mcp/call/call-errors.ts',
  'src/cli/mcp/config/consent.ts',
  'src/cli/mcp/config/entry-errors.ts',
  'src/cli/mcp/servers/name-errors.ts',
  'src/cli/mcp/servers/server-failure.ts',
  'src/cli/terminal/progress-text.ts',
  'src/config/json/comments.ts',
  'src/config/json/json-syntax-error.ts',
  'src/config/next-command.ts',
  'src/config/secrets/collect-secrets.ts',
  'src/config/unknown-server.ts',
  'src/upstream/connection/redact-messages.ts',
  'src/upstream/lifecycle/start-failure.ts',
  'src/wire/json-check/module.ts',
  'src/wire/relay/salvage.ts',
  'src/wire/stream/content-length.ts',
]);

for (const source of RARELY_USED) {
  const value = /^export (?!(?:async )?function|interface|type )/m.exec(readFileSync(join(root, source), 'utf8'));
  if (value !== null) throw new Error(`${source} is loaded at the first call, so it can export only functions`);
}

/** @param {string} source */
export function isRarelyUsed(source) {
  return RARELY_USED.has(source);
}

/**
 * Whether this part belongs to commands that run once. The gateway and the Codex server run for days, and must not
 * depend on files that an update of the package may replace meanwhile.
 * @param {string} part
 */
export function isShortLived(part) {
  return part.startsWith('src/cli/') && !/^src\/cli\/(gateway|codex|http)\//.test(part);
}

/**
 * Replaces the static imports of these modules with functions that load them when called. Keeps the number of lines,
 * for the source maps.
 * @param {string} text @param {(path: string) => string} sourceOf
 */
export function loadAtFirstCall(text, sourceOf) {
  let count = 0;
  return text.replace(/^import \{([^}]*)\} from '(\.[^']+\.ts)';$/gm, (statement, names, path) => {
    if (!RARELY_USED.has(sourceOf(path))) return statement;
    const lines = '\n'.repeat(statement.split('\n').length - 1);
    return toLazyFunctions(names, { path, loaded: `loadedModule${++count}` }) + lines;
  });
}

/** @param {string} names @param {{ path: string, loaded: string }} module */
function toLazyFunctions(names, { path, loaded }) {
  const functions = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [exported, local = exported] = name.split(' as ');
      return `function ${local}(...args) { return (${loaded} ??= require('${path}')).${exported}(...args); }`;
    });
  return functions.length === 0 ? '' : `var ${loaded}; ${functions.join(' ')}`;
}
