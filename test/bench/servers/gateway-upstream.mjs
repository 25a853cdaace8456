// @ts-check
// A server behind the gateway. Tools: echo, pid, slow (never answers); with `--structured` also
// numbers and rows (1 MiB of each). `--hang <method>` leaves that method unanswered,
// `--hang-file <file>` leaves everything unanswered while the file exists, `--tools <count>` lists that many instead.
import { existsSync } from 'node:fs';

const hanging = option('--hang');
const hangs = existsSync(option('--hang-file') ?? '');
const usual = ['echo', 'pid', 'slow', ...(process.argv.includes('--structured') ? ['numbers', 'rows'] : [])];
const tools = option('--tools') === undefined ? usual : names(Number(option('--tools')));
/** @type {Map<string, string>} */
const made = new Map();
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const result = id === undefined || method === hanging || hangs ? undefined : answer(method, params);
    if (result === undefined) continue;
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}\n`);
  }
});

/** The result, or its JSON. @param {string} method @param {any} params */
function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'upstream', version: '1' },
      };
    case 'tools/list':
      return { tools: tools.map(define) };
    case 'tools/call':
      if (params.name === 'slow') return undefined;
      if (params.name === 'numbers' || params.name === 'rows') return large(params.name);
      return { content: [{ type: 'text', text: params.name === 'pid' ? String(process.pid) : params.arguments.text }] };
    default:
      return {};
  }
}

/** Returns the same value each time. @param {'numbers' | 'rows'} kind */
function large(kind) {
  const json = made.get(kind) ?? toLarge(kind);
  made.set(kind, json);
  return json;
}

/** Structured content of 1 MiB: numbers of different lengths, or objects with a few members.
 * @param {'numbers' | 'rows'} kind */
function toLarge(kind) {
  /** @type {unknown[]} */
  const values = [];
  for (let bytes = 0; bytes < 1024 * 1024; bytes += JSON.stringify(values.at(-1)).length + 1) {
    const at = values.length;
    const fraction = (at * 0.618033988749895) % 1;
    const row = { id: at, name: `user ${at}`, price: Math.round(fraction * 10_000) / 100, isActive: at % 2 === 0 };
    values.push(kind === 'rows' ? row : at % 4 === 0 ? Math.round(fraction * 100_000) : fraction);
  }
  const text = `${values.length} ${kind}`;
  return JSON.stringify({ content: [{ type: 'text', text }], structuredContent: { values } });
}

/** @param {string} name */
function option(name) {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** @param {number} count */
function names(count) {
  return Array.from({ length: count }, (_, at) => `tool_${at}`);
}

/** Returns a tool definition of typical length. @param {string} name */
function define(name) {
  const text = { type: 'string', description: `What ${name} works on, as a path or as the text itself` };
  const properties = {
    text,
    count: { type: 'integer', description: 'How often', minimum: 1 },
    deep: { type: 'boolean' },
  };
  return {
    name,
    description: `Does what ${name} is for, and tells what came of it. Use it when nothing else fits.`,
    inputSchema: { type: 'object', properties, required: ['text'] },
    annotations: { readOnlyHint: true },
  };
}
