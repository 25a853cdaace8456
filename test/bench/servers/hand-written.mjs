// @ts-check
// The baseline that a careful author writes by hand: parse, switch, check one argument, stringify, one write per read.
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    const answer = handle(JSON.parse(line));
    if (answer !== undefined) out += `${JSON.stringify(answer)}\n`;
  }
  if (out !== '') process.stdout.write(out);
});

/** @param {{ id?: unknown, method: string, params: any }} message */
function handle({ id, method, params }) {
  if (id === undefined) return undefined;
  switch (method) {
    case 'initialize':
      return ok(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'hand', version: '1' },
      });
    case 'tools/list':
      return ok(id, {
        tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { message: { type: 'string' } } } }],
      });
    case 'tools/call':
      if (params.name !== 'echo' || typeof params.arguments?.message !== 'string') {
        return ok(id, { content: [{ type: 'text', text: 'bad call' }], isError: true });
      }
      return ok(id, { content: [{ type: 'text', text: params.arguments.message }] });
    default:
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  }
}

/** @param {unknown} id @param {unknown} result */
function ok(id, result) {
  return { jsonrpc: '2.0', id, result };
}
