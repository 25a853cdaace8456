import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatProblem, toConfigError } from '../problem.ts';
import type { LoadedConfig } from '../server-entry.ts';
import { didYouMean } from '../unknown-server.ts';
import type { ConfiguredView, ViewLimit } from './view.ts';

/** The choice of what a client sees. With several, it sees only what all of them show; with none, everything. */
export interface ViewSelection {
  /** The name of a view of the config. */
  readonly view?: string | undefined;
  /** The id of a connected client, which sees the servers that it had or that were shared with it. */
  readonly client?: string | undefined;
  /** The only server, which the client sees under its own names. */
  readonly server?: string | undefined;
}

type ConfigWithViews = Pick<LoadedConfig, 'views' | 'problems' | 'files'>;

/** Returns the limits of a client. Throws if the named view does not exist or cannot be used. */
export function selectLimits(config: ConfigWithViews, { view, client, server }: ViewSelection): readonly ViewLimit[] {
  const servers = client === undefined ? undefined : config.views?.clients.get(client);
  return [
    ...(view === undefined ? [] : requireUsable(requireView(config, view))),
    ...(servers === undefined ? [] : [onlyServers(servers)]),
    ...(server === undefined ? [] : [onlyServers([server])]),
  ];
}

function onlyServers(servers: readonly string[]): ViewLimit {
  return { servers, tools: { allow: undefined, deny: [] } };
}

/** Returns the view of this name. Throws if there is none. */
function requireView({ views, problems, files }: ConfigWithViews, name: string): ConfiguredView {
  const found = views?.named.get(name);
  if (found !== undefined) return found;
  const broken = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const problem = problems.find(({ file }) => broken.includes(file));
  const shown = quoteIfNeeded(name);
  if (problem !== undefined)
    throw toConfigError({
      ...problem,
      message: `${problem.message} Until it can be read, it is unknown whether it has the view ${shown}.`,
    });
  const known = [...(views?.named.keys() ?? [])];
  const near = nearestNames(name, known);
  const hint = near.length > 0 ? didYouMean(near) : listHint(known);
  throw new AppError('USAGE', `There is no view ${shown}.${hint}`, { data: { view: name, known } });
}

function listHint(known: readonly string[]): string {
  if (known.length > 0) return ` The config has: ${known.map(quoteIfNeeded).join(', ')}.`;
  return ' Add it under "views" in config.json: see docs/config.md';
}

function requireUsable({ verdict }: ConfiguredView): readonly ViewLimit[] {
  switch (verdict.kind) {
    case 'usable':
      return verdict.limits;
    case 'broken':
      throw toConfigError(verdict.problem);
    case 'untrusted':
      throw new AppError('DENIED', formatProblem(verdict.problem));
  }
}
