// @ts-check
// A server behind the gateway. Tools: echo, pid, slow (never answers). `--hang <method>` leaves that method unanswered,
// `--hang-file <file>` leaves everything unanswered while there is such a file, `--tools <count>` offers so many instead.
import { existsSync } from 'node:fs';

const hanging = option('--hang');
const hangs = existsSync(option('--hang-file') ?? '');
const tools = option('--tools') === undefined ? ['echo', 'pid', 'slow'] : names(Number(option('--tools')));
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const result = id === undefined || method === hanging || hangs ? undefined : answer(method, params);
    if (result !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});

/** @param {string} method @param {any} params */
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
      return { content: [{ type: 'text', text: params.name === 'pid' ? String(process.pid) : params.arguments.text }] };
    default:
      return {};
  }
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

/** About as long as a tool usually is. @param {string} name */
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
