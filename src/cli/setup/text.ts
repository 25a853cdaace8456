import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { clients } from '../../clients/clients.ts';
import { tildePath } from '../../clients/import/plan-import.ts';
import { formatProblem } from '../../config/problem.ts';
import { previewText } from '../import/text.ts';
import { addedServers, type Overview } from './look.ts';
import { type ClientPreview, clientLines } from './preview-clients.ts';
import { untrustedEntries } from './project-trust.ts';
import { countText, joinNames, ownCommand, type SetupRun } from './setup-run.ts';

/** The first thing that a new user reads. */
export function foundText({ findings, plan, review }: Overview, { environment }: SetupRun): string {
  const titles = [...new Set(findings.files.filter(({ servers }) => servers.length > 0).map(({ title }) => title))];
  const ofProject = untrustedEntries(review).length;
  const found =
    plan.servers.length === 0
      ? 'Found no servers in other clients.'
      : `Found ${countText(plan.servers.length, 'server')} in ${joinNames(titles)}.`;
  const project = ofProject === 0 ? '' : ` This project defines ${countText(ofProject, 'server')}.`;
  const problems = findings.problems.map((problem) =>
    formatProblem({ ...problem, file: tildePath(problem.file, environment) }),
  );
  return [
    ...problems.map((problem) => `Cannot be read: ${problem}`),
    `${found}${project} Nothing has been changed.`,
  ].join('\n');
}

/** Explains why there is nothing to do, and what to do instead. */
export function nothingFoundText({ plan, connected }: Overview, { context }: SetupRun): string {
  const own = ownCommand(context);
  if (plan.servers.length > 0 || connected.length > 0)
    return `Everything is set up. To see it, run: ${own} status\nTo reverse it, run: ${own} setup --undo`;
  const titles = joinNames(clients.map(({ title }) => title));
  return [
    `Switchboard looked in ${titles}.`,
    `Add a server:        ${own} add <id> https://…   or   ${own} add <id> -- <command> [args]`,
    `Import any file:     ${own} import --from <file>`,
    `Connect a client:    ${own} connect <client>`,
  ].join('\n');
}

/** Shows what would be imported, and which clients would be connected. */
export function showPreview(overview: Overview, previews: readonly ClientPreview[], run: SetupRun): void {
  const { plan, findings, ofProject, connected } = overview;
  if (addedServers(plan).length > 0) {
    run.showHeading('Import');
    run.show(previewText(plan, findings, run.environment));
  }
  for (const { name, file } of ofProject)
    run.show(
      `${quoteIfNeeded(name)} stays in ${escapeInvisible(tildePath(file, run.environment))}: it belongs to this project.`,
    );
  if (previews.length > 0) {
    run.showHeading('Connect');
    run.show('Each client gets one server, switchboard, in place of those that it has now:');
    run.show(clientLines(previews).join('\n'));
  }
  for (const { client } of connected) run.show(`${client.title} is already connected.`);
}

/** The question before the first change; undefined if nothing would be imported or connected. */
export function planQuestion({ plan, targets }: Overview): string | undefined {
  const added = addedServers(plan).length;
  const titles =
    targets.length > 2 ? `all ${targets.length} clients` : joinNames(targets.map(({ client }) => client.title));
  const parts = [
    ...(added === 0 ? [] : [`import ${countText(added, 'server')}`]),
    ...(targets.length === 0 ? [] : [`connect ${titles}`]),
  ].join(' and ');
  return parts === '' ? undefined : `${parts.charAt(0).toUpperCase()}${parts.slice(1)}?`;
}
