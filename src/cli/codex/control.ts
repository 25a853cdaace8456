import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { VERSION } from '../../base/version.ts';
import type { Session } from '../../codex/sessions/session.ts';
import type { Sessions } from '../../codex/sessions/sessions.ts';
import { type ControlSocket, openControlSocket } from '../../control/socket/control-socket.ts';
import type { RunningStatus, SessionSummary } from '../../control/status/running-status.ts';
import { isObject } from '../../wire/messages.ts';
import type { CommandContext } from '../command-context.ts';

export interface ControlledCodex {
  readonly sessions: Sessions;
  readonly context: Pick<CommandContext, 'cwd' | 'home' | 'env'>;
  readonly startedAt: number;
  /** The first message of the client, as received. */
  readonly firstMessage: () => string | undefined;
  readonly warn: (text: string) => void;
}

/** Answers status requests about this codex server. Undefined when no socket can be opened. */
export function openCodexControl(controlled: ControlledCodex): Promise<ControlSocket | undefined> {
  const { cwd, home, env } = controlled.context;
  return openControlSocket({
    environment: { cwd, home, env, platform: process.platform },
    onProblem: controlled.warn,
    answer(method) {
      if (method === 'mcp.list') return status(controlled);
      if (method === 'mcp.get') throw new AppError('USAGE', 'A codex server has no MCP servers of its own.');
      throw new AppError('METHOD_NOT_FOUND', `A codex server does not support ${oneLine(method, MAX_TEXT_LENGTH)}.`);
    },
  });
}

const MAX_TEXT_LENGTH = 200;

function status({ sessions, context, startedAt, firstMessage }: ControlledCodex): RunningStatus {
  return {
    ...{ v: 1, role: 'codex', pid: process.pid, version: VERSION, startedAt, cwd: context.cwd },
    clients: clientNames(firstMessage()),
    servers: [],
    sessions: sessions.registry.all().map(toSummary),
    problems: [],
  };
}

function toSummary({ id, status: state, opened, pendingApprovals }: Session): SessionSummary {
  const cwd = oneLine(opened.cwd);
  return { id, state, ...(cwd === '' ? {} : { cwd }), questions: pendingApprovals.length };
}

/** Returns the client's own name: `claude-code 2.1.0`. Empty when the client has sent none, or none that is valid. */
function clientNames(firstMessage: string | undefined): readonly string[] {
  let message: unknown;
  try {
    message = JSON.parse(firstMessage ?? '');
  } catch {
    // The server has already reported it to the client.
    return [];
  }
  const params = isObject(message) ? message['params'] : undefined;
  const info = isObject(params) ? params['clientInfo'] : undefined;
  const { name, version } = isObject(info) ? info : {};
  const words = [name, version].filter((word) => typeof word === 'string');
  const shown = oneLine(words.join(' '), MAX_TEXT_LENGTH);
  return shown === '' ? [] : [shown];
}
