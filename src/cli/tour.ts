import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '../base/errors.ts';
import { openProcesses, type Processes } from '../base/process/processes.ts';
import { VERSION } from '../base/version.ts';
import { frameText } from '../wire/frame.ts';
import { isObject } from '../wire/messages.ts';
import { NEWEST_LEGACY_VERSION } from '../wire/protocol-versions.ts';
import { createPeer, type Peer } from '../wire/rpc/peer.ts';
import { openStreamChannel } from '../wire/stream/stream-channel.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Shows the gateway at work: real processes, a real client, a server that crashes and restarts, and no process left at
 * the end.
 */
export async function tour(context: CommandContext): Promise<void> {
  const { output, env } = context;
  const processes = openProcesses({ env });
  try {
    output.answer('switchboard gateway --config examples/mcp.json: two small MCP servers behind one endpoint.\n');
    const { peer, pid } = await openGateway(processes, context);
    await walk(peer, pid, (what, value) => output.answer(`${what}\n  ${value}\n`));
  } finally {
    await processes.close();
  }
  output.answer(
    'The gateway and its servers have been stopped; nothing is left running. Next: README.md, docs/gateway.md',
  );
}

/** A call sent at the moment its server crashes fails with it, and reports that. */
const NOTICE_MS = 100;

type Show = (what: string, value: string) => void;

async function walk(peer: Peer, pid: number, show: Show): Promise<void> {
  const initialized = await peer.request('initialize', {
    protocolVersion: NEWEST_LEGACY_VERSION,
    capabilities: {},
    clientInfo: { name: 'switchboard-tour', version: VERSION },
  });
  peer.notify('notifications/initialized');
  show(`initialize is answered at once by process ${pid}, before any server runs:`, JSON.stringify(initialized));
  show(
    'tools/list shows the tools of both, prefixed with the name of their server:',
    (await toolNames(peer)).join('  '),
  );
  show('echo__echo { message: "hello" }:', await call(peer, 'echo__echo', { message: 'hello' }));
  show('The same call with a bad argument; the model sees why:', await call(peer, 'echo__echo', { message: 5 }));
  show('counter__count, twice:', `${await call(peer, 'counter__count')} and ${await call(peer, 'counter__count')}`);
  const counter = Number(await call(peer, 'counter__pid'));
  process.kill(counter, 'SIGKILL');
  await delay(NOTICE_MS);
  show(
    `Process ${counter}, the counter, is killed. The next call finds it restarted, counting from the start:`,
    await call(peer, 'counter__count'),
  );
  show('Its new process:', await call(peer, 'counter__pid'));
  show('An unknown name is not guessed; similar names are suggested:', await call(peer, 'counter__cuont'));
}

async function openGateway(
  processes: Processes,
  { env, packageRoot }: CommandContext,
): Promise<{ peer: Peer; pid: number }> {
  const file = (path: string) => fileURLToPath(new URL(path, packageRoot));
  const gateway = await processes.spawn({
    command: process.execPath,
    args: [file('dist/cli/main.js'), 'gateway', '--config', file('examples/mcp.json')],
    env: { ...env, WRAPPER_SUMMARY: '0' },
  });
  const peer = createPeer({
    send: (text) => channel.send(text),
    onRequest: ({ method }) => {
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
    },
    onNotification: () => undefined,
    onInvalidMessage: () => undefined,
  });
  const ended = () =>
    new AppError('PROCESS_EXITED', `The gateway ended: ${gateway.stderrTail().at(-1) ?? 'nothing on stderr'}`);
  const channel = openStreamChannel(
    { input: gateway.stdout, output: gateway.stdin },
    {
      frame: (frame) => peer.receive(frameText(frame)),
      reportError: (error) => peer.close(error),
      end: () => peer.close(ended()),
    },
  );
  return { peer, pid: gateway.pid };
}

async function toolNames(peer: Peer): Promise<string[]> {
  const result = await peer.request('tools/list', {});
  const tools = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
  return tools.map(({ name }) => String(name));
}

/** Returns the text of a result or of an error, as the model would see it. */
async function call(peer: Peer, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  try {
    const result = await peer.request('tools/call', { name, arguments: args });
    const content = isObject(result) && Array.isArray(result['content']) ? result['content'] : [];
    return String(content[0]?.text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
