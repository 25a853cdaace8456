import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { VERSION } from '../../base/version.ts';
import type { Session } from '../../codex/sessions/session.ts';
import { type ControlSocket, openControlSocket } from '../../control/socket/control-socket.ts';
import { formatClientInfo } from '../../control/status/client-info.ts';
import type { RunningStatus, SessionSummary } from '../../control/status/running-status.ts';
import type { ClientInfo } from '../../serve/served-client.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';

export interface ControlledCodex {
  readonly sessions: () => readonly Session[];
  readonly context: Pick<CommandContext, 'cwd' | 'home' | 'env'>;
  readonly startedAt: number;
  readonly clientInfos: () => readonly ClientInfo[];
  /** The URL for clients, if they connect over HTTP. */
  readonly url?: string;
  readonly warn: (text: string) => void;
}

/** Answers status requests about this codex server. Undefined when no socket can be opened. */
export function openCodexControl(controlled: ControlledCodex): Promise<ControlSocket | undefined> {
  return openControlSocket({
    environment: environmentOf(controlled.context),
    onProblem: controlled.warn,
    answer(method) {
      if (method === 'mcp.list') return status(controlled);
      if (method === 'mcp.get') throw new AppError('USAGE', 'A codex server has no MCP servers of its own.');
      throw new AppError('METHOD_NOT_FOUND', `A codex server does not support ${oneLine(method, MAX_TEXT_LENGTH)}.`);
    },
  });
}

const MAX_TEXT_LENGTH = 200;

function status({ sessions, context, startedAt, clientInfos, url }: ControlledCodex): RunningStatus {
  return {
    ...{ v: 1, role: 'codex', pid: process.pid, version: VERSION, startedAt, cwd: context.cwd },
    ...(url === undefined ? {} : { url }),
    clients: clientInfos()
      .map(formatClientInfo)
      .filter((client) => client !== ''),
    servers: [],
    sessions: sessions().map(toSummary),
    problems: [],
  };
}

function toSummary({ id, status: state, opened, pendingApprovals }: Session): SessionSummary {
  const cwd = oneLine(opened.cwd);
  return { id, state, ...(cwd === '' ? {} : { cwd }), questions: pendingApprovals.length };
}
