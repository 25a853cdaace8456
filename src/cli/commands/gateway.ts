import { AppError } from '../../base/errors.ts';
import { openGateway } from '../../gateway/gateway.ts';
import { serveStdio } from '../../gateway/serve-stdio.ts';
import { createSingleRouting } from '../../gateway/single.ts';
import { createLauncher } from '../../upstream/launcher.ts';
import { createTransports } from '../../upstream/transports/open.ts';
import { Upstream } from '../../upstream/upstream.ts';
import { RawJson } from '../../wire/messages.ts';
import type { CommandContext } from '../main.ts';

/** `switchboard -- <command>`: one server, as it is. */
export async function single([command, ...args]: readonly string[], { env }: CommandContext): Promise<void> {
  if (command === undefined) throw new AppError('USAGE', 'Give the command of the server: switchboard -- <command> [args].');
  const transports = createTransports(env);
  const launcher = createLauncher();
  const id = command.split(/[\\/]/).at(-1) ?? command;
  const gateway = openGateway({
    isErrorPassthrough: isOn(env['WRAPPER_ERROR_PASSTHROUGH']),
    log: { debug: () => {}, notification: () => {} },
    createUpstreams: (listener, initializeParams) => [
      new Upstream({
        id,
        listener,
        launcher,
        initializeParams: () => new RawJson(JSON.stringify(initializeParams())),
        open: transports.stdio(() => ({ command, args, cwd: undefined, env, framing: 'ndjson' })),
      }),
    ],
    createRouting: ({ upstreams: [upstream], clients, start }) => {
      if (upstream === undefined) throw new AppError('INTERNAL', 'No upstream.');
      return createSingleRouting({ upstream, clients, initTimeoutMs: 4000, onHello: start });
    },
  });
  const served = serveStdio(gateway);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => served.stop());
  await served.ended;
  await transports.close();
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
