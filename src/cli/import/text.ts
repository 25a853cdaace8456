import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { Findings, FoundFile, FoundServer } from '../../clients/import/find-servers.ts';
import { type ImportPlan, type PlannedServer, tildePath } from '../../clients/import/plan-import.ts';
import type { Environment } from '../../config/files/folders.ts';
import { formatArgument, formatUrl } from '../../config/secrets/masked-value.ts';
import type { WrittenEntry } from '../../config/write/write-entry.ts';
import type { LineTones } from '../terminal/paint-lines.ts';

/** Formats what was found in each file and what the import does with it. Shows no secret. */
export function previewText({ servers }: ImportPlan, { files }: Findings, environment: Environment): string {
  const shown = files.filter((file) => file.servers.length > 0 || file.skipped.length > 0);
  return shown.map((file) => fileText(file, servers, environment)).join('\n\n');
}

/** How a terminal shows the preview. */
export const PREVIEW_TONES: LineTones = [
  [/(?<=^ +)(?:needs|warning):?(?= )/, 'warning'],
  [/(?<=^ +\S.*, )not imported:/, 'bad'],
  [/(?<=^ +)(?:secret|not carried):/, 'quiet'],
  [/(?<=^ +\S+ +)skipped:/, 'quiet'],
  [/^\S.*/, 'heading'],
];

function fileText(file: FoundFile, plan: readonly PlannedServer[], environment: Environment): string {
  const width = Math.max(...[...file.servers, ...file.skipped].map(({ name }) => quoteIfNeeded(name).length));
  const line = (name: string, text: string) => `  ${quoteIfNeeded(name).padEnd(width)}  ${text}`;
  const servers = file.servers.flatMap((server) => {
    const planned = plan.find((one) => one.server === server || one.duplicates.includes(server));
    if (planned === undefined) return [line(server.name, 'seen before')];
    if (planned.server !== server) return [line(server.name, duplicateText(server, planned))];
    return [
      line(server.name, serverText(planned)),
      ...detailLines(planned).map((text) => `${' '.repeat(width + 4)}${text}`),
    ];
  });
  const skipped = file.skipped.map(({ name, reason }) => line(name, `skipped: ${escapeInvisible(reason)}`));
  return [`${file.title} (${escapeInvisible(tildePath(file.file, environment))})`, ...servers, ...skipped].join('\n');
}

function duplicateText({ name }: FoundServer, { id, server }: PlannedServer): string {
  const other = server.name === name ? `in ${server.title}` : `${quoteIfNeeded(server.name)} in ${server.title}`;
  return `the same as ${other}${id === server.name ? '' : `, imported as ${quoteIfNeeded(id)}`}`;
}

function serverText({ id, server, isEnabled, action, fault }: PlannedServer): string {
  const target = targetText(server.entry);
  const marks = [
    ...(isEnabled ? [] : ['disabled']),
    ...(id === server.name ? [] : [`imported as ${quoteIfNeeded(id)}`]),
    ...(action === 'kept' ? ['already in your config'] : []),
    ...(action === 'replaced' ? ['replaces the entry in your config'] : []),
    ...(action === 'conflict'
      ? ['not imported: your config has different settings under this id (--replace overwrites them)']
      : []),
    ...(action === 'invalid' ? [`not imported: ${escapeInvisible(fault ?? '')}`] : []),
  ];
  return [target, ...marks].join(', ');
}

/** Formats the command or the URL of an entry. */
function targetText({ command, args, url }: WrittenEntry): string {
  if (url !== undefined) return formatUrl(url);
  const words = Array.isArray(args) ? args : [];
  return [quoteIfNeeded(String(command)), ...words.map((arg, index) => formatArgument(arg, words[index - 1]))].join(
    ' ',
  );
}

function detailLines({ secrets, inline, server, missing, action }: PlannedServer): readonly string[] {
  if (action === 'kept' || action === 'conflict' || action === 'invalid') return [];
  return [
    ...secrets.map(({ key, variable }) => `secret: ${escapeInvisible(key)} will be stored as ${variable}`),
    ...inline.map((key) => `warning: ${escapeInvisible(key)} contains a secret, which stays in the config`),
    ...server.notCarried.map(
      ({ key, reason }) => `not carried over: ${escapeInvisible(key)} (${escapeInvisible(reason)})`,
    ),
    ...missing.map((name) => `needs ${name}: set it, or run ${programName()} secret set ${quoteForShell(name)}`),
  ];
}

/** Formats the result. */
export function summaryText(
  { servers }: ImportPlan,
  { environment, isDryRun }: { readonly environment: Environment; readonly isDryRun: boolean },
): string {
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  const files = [...new Set(written.map(({ source }) => tildePath(source.file, environment)))].map(escapeInvisible);
  const kept = servers.filter(({ action }) => action === 'kept').length;
  const failed = servers.length - written.length - kept;
  const verb = isDryRun ? 'Would import' : 'Imported';
  const stored = new Set(written.flatMap(({ secrets }) => secrets.map(({ variable }) => variable))).size;
  const result = [
    written.length === 0
      ? 'Nothing to import.'
      : `${verb} ${countText(written.length, 'server')} into ${files.join(' and ')}.`,
    ...(kept === 0 ? [] : [`${countText(kept, 'server')} ${kept === 1 ? 'was' : 'were'} already in your config.`]),
    ...(failed === 0
      ? []
      : [`${countText(failed, 'server')} ${failed === 1 ? 'was' : 'were'} not imported: see above.`]),
    ...(stored === 0 ? [] : [`${isDryRun ? 'Would store' : 'Stored'} ${countText(stored, 'secret')}.`]),
  ].join(' ');
  return isDryRun && written.length > 0 ? `${result}\nNothing was changed. To import, leave out --dry-run.` : result;
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the commands to type next. `connected` are the clients that already start Switchboard. */
export function nextSteps({ servers }: ImportPlan, connected: ReadonlySet<string>): readonly string[] {
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  const owners = written.flatMap(({ server, duplicates }) => [server, ...duplicates].map(({ client }) => client ?? ''));
  const listedTwice = [...new Set(owners)].filter((client) => connected.has(client));
  const needsTrust = written.some(({ source }) => source.needsTrust);
  return [
    ...(needsTrust ? [`Next: ${programName()} trust (servers of a project need your trust)`] : []),
    ...(written.length > 0 ? [`Next: ${programName()} test --all`] : []),
    ...(listedTwice.length > 0
      ? [`Next: ${programName()} connect ${listedTwice.join(' ')} (turns off its own copies of these servers)`]
      : []),
  ];
}
