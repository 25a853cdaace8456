import { oneLine } from '../../../base/text/safe-text.ts';
import type { Surroundings } from '../../../config/files/folders.ts';
import { describe } from '../../../config/problem.ts';
import type { RunningStatus } from '../../../control/status/running-status.ts';
import { cutTo } from '../../terminal/width.ts';
import { NO_SERVERS } from '../no-servers.ts';
import { type Configured, readConfigured } from './configured.ts';
import { headOf } from './headline.ts';
import { type Asked, askAll } from './query.ts';
import { complaintsOf, onlyConfigured, type Picture } from './snapshot.ts';
import { serverTable, sessionTable } from './table.ts';

/** Every server of everything that runs here; where nothing does, what is configured. */
export async function lookAtAll(surroundings: Surroundings, signal?: AbortSignal): Promise<Picture> {
  const asked = await askAll(surroundings, signal);
  return asked.answers.length > 0 ? ofRunning(asked) : ofConfigured(asked, await readConfigured(surroundings));
}

function ofRunning(asked: Asked<RunningStatus>): Picture {
  const { answers: running, failed, ignored } = asked;
  return {
    document: { running, configured: null, failed, ignored },
    lines: (width, now) =>
      running.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...block(one, { width, now })]),
    complaints: complaintsOf(asked),
    isWhole: true,
  };
}

function block(
  status: RunningStatus,
  { width, now }: { readonly width: number | undefined; readonly now: number },
): readonly string[] {
  const narrow = (line: string) => (width === undefined ? line : cutTo(line, width));
  return [
    narrow(headOf(status, now)),
    ...content(status, width),
    ...status.problems.map((problem) => narrow(`problem: ${oneLine(problem)}`)),
  ];
}

function content({ role, servers, sessions = [] }: RunningStatus, width: number | undefined): readonly string[] {
  if (role === 'codex') return sessions.length === 0 ? ['no sessions'] : sessionTable(sessions, width);
  return servers.length === 0 ? NO_SERVERS : serverTable(servers, width);
}

function ofConfigured(asked: Asked<RunningStatus>, { servers, problems, isWhole }: Configured): Picture {
  const { failed, ignored } = asked;
  const isEmpty = servers.length === 0;
  return {
    document: { running: [], configured: { servers, problems }, failed, ignored },
    lines: (width) => {
      if (!isEmpty) return serverTable(servers, width);
      return isWhole ? NO_SERVERS : ['no server could be read'];
    },
    complaints: [
      ...complaintsOf(asked),
      // Without any server there is nothing that could run.
      ...(isEmpty && isWhole ? [] : [onlyConfigured(asked)]),
      ...problems.map(describe),
    ],
    isWhole,
  };
}
