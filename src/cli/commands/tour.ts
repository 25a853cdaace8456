import { fileURLToPath } from 'node:url';
import { AppError } from '../../base/errors.ts';
import { openProcesses, type Processes } from '../../base/process/processes.ts';
import { VERSION } from '../../base/version.ts';
import { frameText } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { createPeer, type Peer } from '../../wire/peer.ts';
import { openStreamChannel } from '../../wire/stream-channel.ts';
import type { CommandContext } from '../main.ts';

/** A walk through the example server: a real process, a real client, and nothing left at the end. */
export async function tour(context: CommandContext): Promise<void> {
  const { output, env } = context;
  const processes = openProcesses({ env });
  try {
    output.answer('Starting examples/echo.mjs: an MCP server in ten lines, written with switchboard/kit.\n');
    const { peer, pid } = await connect(processes, context);
    const initialized = await peer.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'switchboard-tour', version: VERSION },
    });
    peer.notify('notifications/initialized');
    const show = (what: string, value: unknown) => output.answer(`${what}\n  ${JSON.stringify(value)}\n`);
    show(`initialize, answered by process ${pid}:`, initialized);
    show('tools/list:', await peer.request('tools/list', {}));
    show('tools/call echo { message: "hello" }:', await call(peer, { message: 'hello' }));
    show(
      'The same with a bad argument; the tool is not run, and the model reads why:',
      await call(peer, { message: 5 }),
    );
  } finally {
    await processes.close();
  }
  output.answer('The server has been stopped and nothing is left running. Next: docs/kit.md');
}

async function connect(
  processes: Processes,
  { env, packageRoot }: CommandContext,
): Promise<{ peer: Peer; pid: number }> {
  const example = fileURLToPath(new URL('examples/echo.mjs', packageRoot));
  const server = await processes.spawn({ command: process.execPath, args: [example], env: definedOnly(env) });
  const peer = createPeer({
    send: (text) => channel.send(text),
    onRequest: ({ method }) => {
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
    },
    onNotification: () => undefined,
    onUnreadable: () => undefined,
  });
  const channel = openStreamChannel(
    { input: server.stdout, output: server.stdin },
    {
      frame: (frame) => peer.receive(frameText(frame)),
      fault: (error) => peer.close(error),
      end: () =>
        peer.close(
          new AppError('PROCESS_EXITED', `The example ended: ${server.stderrTail().at(-1) ?? 'no word on stderr'}`),
        ),
    },
  );
  return { peer, pid: server.pid };
}

/** The text of a result, shown as the model sees it. */
async function call(peer: Peer, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  const result = await peer.request('tools/call', { name: 'echo', arguments: args });
  if (!isObject(result) || !Array.isArray(result['content']))
    throw new AppError('BAD_ANSWER', 'tools/call gave no content.');
  return { isError: result['isError'] === true, text: result['content'][0]?.text };
}

function definedOnly(env: CommandContext['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
