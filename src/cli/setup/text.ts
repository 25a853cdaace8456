import { programName } from '../../base/program-name.ts';
import { joinNames } from '../../base/text/join-names.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type Client, clients } from '../../clients/clients.ts';
import type { LostConnection } from '../../clients/connect/lost-connections.ts';
import { type ImportPlan, tildePath } from '../../clients/import/plan-import.ts';
import { formatProblem } from '../../config/problem.ts';
import { foundTable } from '../import/found-table.ts';
import { previewText } from '../import/text.ts';
import { explicitFileWarning } from '../mcp/config/definitions.ts';
import { addedServers, type Overview } from './overview.ts';
import { type ClientPreview, clientLines } from './preview-clients.ts';
import { untrustedEntries } from './project-trust.ts';
import { countText, type SetupRun } from './setup-run.ts';

/** The first thing that a new user reads. */
export function foundText({ findings, plan, review }: Overview): string {
  const titles = [...new Set(findings.files.filter(({ servers }) => servers.length > 0).map(({ title }) => title))];
  const ofProject = untrustedEntries(review).length;
  const found =
    plan.servers.length === 0
      ? 'Found no servers in other clients.'
      : `Found ${countText(plan.servers.length, 'server')} in ${joinNames(titles)}.`;
  const project = ofProject === 0 ? '' : ` This project defines ${countText(ofProject, 'server')}.`;
  return [`${found}${project} Nothing has been changed.`, ...foundTable(plan.servers)].join('\n');
}

/** The answer to a user who does not want to set up now. */
export function declinedText(): string {
  const own = programName();
  return [
    'Nothing was changed.',
    `To look at your servers, run: ${own} list`,
    `To set up later, run: ${own} setup`,
  ].join('\n');
}

/** Names the files that cannot be used, each with its next step, and whatever else would keep setup from working. */
export function showProblems({ findings, lost }: Overview, run: SetupRun): void {
  for (const warning of explicitFileWarning(run.environment)) run.showOutcome('warning', warning);
  for (const one of lost) run.showOutcome('warning', lostText(one));
  for (const problem of findings.problems) {
    const where = { ...problem, file: tildePath(problem.file, run.environment) };
    run.showOutcome('bad', `${formatProblem(where)} Next: fix it, then run ${programName()} setup`);
  }
}

function lostText({ client: { id, title }, disabled }: LostConnection): string {
  const own = disabled.length === 0 ? 'own file' : countText(disabled.length, 'server');
  return `${title} was connected, but the record of it is lost. To get its ${own} back, run: ${programName()} disconnect ${id}`;
}

/** Explains why there is nothing to do, and what to do instead. */
export function nothingFoundText({ plan, connected }: Overview): string {
  const own = programName();
  if (plan.servers.length > 0 || connected.length > 0)
    return `Everything is set up. To see it, run: ${own} status\nTo reverse it, run: ${own} setup --undo`;
  const titles = joinNames(clients.map(({ title }) => title));
  return [
    `Switchboard looked in ${titles}.`,
    '',
    `Add a server:      ${own} add <id> https://…`,
    `                   ${own} add <id> -- <command> [args]`,
    `Import a file:     ${own} import --from <file>`,
    `Connect a client:  ${own} connect <client>`,
  ].join('\n');
}

/** Shows what would be imported, and which clients would be connected. */
export function showPreview(overview: Overview, previews: readonly ClientPreview[], run: SetupRun): void {
  const { plan, findings, ofProject, connected } = overview;
  if (addedServers(plan).length > 0) {
    run.showHeading('Servers to import');
    run.show(indented(previewText(plan, findings, run.environment)));
  }
  for (const { name, file } of ofProject)
    run.show(
      `${quoteIfNeeded(name)} stays in ${escapeInvisible(tildePath(file, run.environment))}: it belongs to this project.`,
    );
  if (previews.length > 0) {
    run.showHeading('Clients to connect');
    run.show(clientLines(previews).join('\n'));
    run.show('  A server that fails its test stays on in its client.');
  }
  for (const { client } of connected) run.show(connectedText(client, plan));
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** Setup leaves connected clients alone: undo must not disconnect them. */
function connectedText({ id, title }: Client, plan: ImportPlan): string {
  const isIn = ({ server, duplicates }: ImportPlan['servers'][number]) =>
    [server, ...duplicates].some(({ client }) => client === id);
  if (!addedServers(plan).some(isIn)) return `${title} is already connected.`;
  return `${title} is already connected. To turn off its own copies of the imported servers, run afterward: ${programName()} connect ${id}`;
}

/** The question before the first change; undefined if nothing would be imported or connected. */
export function planQuestion({ plan, targets }: Overview, previews: readonly ClientPreview[]): string | undefined {
  const added = addedServers(plan).length;
  const possible = previews.filter(({ fault }) => fault === undefined).length;
  const all =
    targets.length > 2 ? `all ${targets.length} clients` : joinNames(targets.map(({ client }) => client.title));
  const titles = possible === targets.length ? all : `${possible} of ${countText(targets.length, 'client')}`;
  const parts = [
    ...(added === 0 ? [] : [`import ${countText(added, 'server')}`]),
    ...(possible === 0 ? [] : [`connect ${titles}`]),
  ].join(' and ');
  return parts === '' ? undefined : `${parts.charAt(0).toUpperCase()}${parts.slice(1)}?`;
}
