import { isDeepStrictEqual } from 'node:util';
import { programName } from '../../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { trustCommand } from '../../../config/merge-files.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ConfigFileState, ConfigProblem } from '../../../config/server-entry.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';
import { checkStores } from './stores.ts';

/** Checks every config file: whether it can be read, whether its entries are trusted, and which entries are hidden. */
export function checkConfig(checkContext: CheckContext): Section {
  const { definitions, environment } = checkContext;
  const used = definitions.files.filter(({ state }) => state !== 'absent');
  const { servers } = definitions;
  const findings = [
    ...used.map((file) => fileFinding(file, checkContext)),
    ...otherProblems(definitions).map(problemFinding),
    ...untrustedFindings(definitions.servers),
    ...shadowedFindings(checkContext),
    ...checkStores(environment),
    ...(used.length === 0 ? [emptyFinding()] : []),
  ];
  const count = `${servers.length} server${servers.length === 1 ? '' : 's'} in ${used.length} file${used.length === 1 ? '' : 's'}`;
  return { name: 'Config', summary: count, findings };
}

function emptyFinding(): Finding {
  const fix = `${programName()} import`;
  return { check: 'config.empty', title: 'No servers are configured', state: 'note', fix };
}

function fileFinding({ file, state }: ConfigFileState, { definitions, environment }: CheckContext): Finding {
  const shown = escapeInvisible(tildePath(file, environment));
  const own = definitions.candidates.filter((candidate) => candidate.entry.origin.file === file).length;
  if (state === 'usable')
    return { check: 'config.file', title: `${shown}: ${own} server${own === 1 ? '' : 's'}`, state: 'ok' };
  const problems = definitions.problems.filter((problem) => problem.file === file);
  return {
    check: 'config.file',
    title: `${shown} cannot be used, so its servers are missing`,
    state: 'failure',
    code: 'CONFIG_INVALID',
    detail: problems.map(({ line, message }) => `${line === 0 ? '' : `line ${line}: `}${message}`),
    advice: `Correct ${formatLocation(file, problems[0]?.line ?? 0)}.`,
  };
}

/** Problems of usable config files. Those of single servers are findings of these servers. */
function otherProblems({ problems, files, servers }: Definitions): readonly ConfigProblem[] {
  const usable = new Set(files.filter(({ state }) => state === 'usable').map(({ file }) => file));
  const isOfServer = ({ file, line }: ConfigProblem) =>
    servers.some(({ origin, verdict }) => verdict.kind === 'error' && origin.file === file && origin.line === line);
  const unique = problems.filter(
    (one, index) => problems.findIndex((other) => isDeepStrictEqual(one, other)) === index,
  );
  return unique.filter((problem) => usable.has(problem.file) && !isOfServer(problem));
}

function problemFinding({ file, line, message }: ConfigProblem): Finding {
  return {
    check: 'config.entry',
    title: message.replace(/\.$/, ''),
    state: 'warning',
    advice: `Correct ${formatLocation(file, line)}.`,
  };
}

/** One finding per project: one command trusts all of its servers. */
export function untrustedFindings(servers: Definitions['servers']): readonly Finding[] {
  const untrusted = servers.filter(({ verdict }) => verdict.kind === 'disabled' && verdict.isUntrusted);
  const commands = [...new Set(untrusted.map(({ origin }) => trustCommand(origin)))];
  return commands.map((fix) => {
    const names = untrusted.filter(({ origin }) => trustCommand(origin) === fix).map(({ id }) => quoteIfNeeded(id));
    const subject = names.length === 1 ? '1 server is' : `${names.length} servers are`;
    return {
      check: 'config.trust',
      title: `${subject} not trusted, so Switchboard does not start ${names.length === 1 ? 'it' : 'them'}: ${names.join(', ')}`,
      state: 'warning',
      fix,
    };
  });
}

/** Entries without effect, because another file defines a server of the same id. */
function shadowedFindings({ definitions: { candidates, chosen }, environment }: CheckContext): readonly Finding[] {
  const hidden = candidates.filter((one) => one.isTrusted && chosen.get(one.entry.id) !== one);
  return hidden.map(({ entry: { id, origin } }) => {
    const winner = chosen.get(id)?.entry.origin ?? origin;
    const at = (place: typeof origin) => formatLocation(tildePath(place.file, environment), place.line);
    return {
      check: 'config.shadowed',
      title: `${quoteIfNeeded(id)} of ${at(origin)} has no effect here: ${at(winner)} takes precedence`,
      state: 'note',
    };
  });
}
