// @ts-check
/** A minimal raw client, so that its own cost does not distort the measurement.
 * @param {import('node:child_process').ChildProcess} server */
export function connect(server) {
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let lastId = 0;
  let rest = '';
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error('the server must have pipes');
  stdin.on('error', () => {});
  stdout.setEncoding('utf8');
  stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    stdin.cork();
    for (const line of lines) {
      const answer = JSON.parse(line);
      const settle = waiting.get(answer.id);
      waiting.delete(answer.id);
      settle?.(answer);
    }
    stdin.uncork();
  });

  /** @param {string} method @param {unknown} params @param {(answer: any) => void} onAnswer */
  const send = (method, params, onAnswer) => {
    const id = ++lastId;
    waiting.set(id, onAnswer);
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  };

  return {
    /** @param {string} method @param {unknown} params @returns {Promise<any>} */
    request: (method, params) => new Promise((resolve) => send(method, params, resolve)),

    /** Initializes the connection like Codex. */
    async initialize() {
      const clientInfo = { name: 'bench', version: '1' };
      await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    },

    /** Makes `count` calls with `inFlight` of them concurrently. Checks every response.
     * @param {{ count: number, inFlight: number }} options @returns {Promise<void>} */
    calls: ({ count, inFlight }) =>
      new Promise((resolve, reject) => {
        let started = 0;
        let done = 0;
        const next = () => {
          if (started >= count) return;
          const message = `message number ${++started}`;
          send('tools/call', { name: 'echo', arguments: { message } }, (answer) => {
            if (answer.result?.content?.[0]?.text !== message) return reject(new Error(JSON.stringify(answer)));
            if (++done === count) return resolve();
            next();
          });
        };
        for (let i = 0; i < inFlight; i++) next();
      }),
  };
}
