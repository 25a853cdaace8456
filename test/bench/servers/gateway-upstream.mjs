// @ts-check
// A server behind the gateway. Tools: echo, pid, slow (never answers). `--hang <method>` leaves that method unanswered.
const hanging = process.argv[process.argv.indexOf('--hang') + 1];
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const result = id === undefined || method === hanging ? undefined : answer(method, params);
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
      return { tools: ['echo', 'pid', 'slow'].map((name) => ({ name, inputSchema: { type: 'object' } })) };
    case 'tools/call':
      if (params.name === 'slow') return undefined;
      return { content: [{ type: 'text', text: params.name === 'pid' ? String(process.pid) : params.arguments.text }] };
    default:
      return {};
  }
}
