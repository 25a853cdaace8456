import { type ClientServers, openClientServers } from '../../clients/client-servers.ts';
import type { ClientId } from '../../clients/clients.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { findLostConnections, type LostConnection } from '../../clients/connect/lost-connections.ts';
import { type ConnectTarget, isInstalled } from '../../clients/connect/targets.ts';
import { recordAfter } from '../../clients/import/apply-import.ts';
import { type Findings, type FoundServer, findServers } from '../../clients/import/find-servers.ts';
import { mergeServers } from '../../clients/import/merge-servers.ts';
import { type ImportPlan, planImport } from '../../clients/import/plan-import.ts';
import type { Environment } from '../../config/files/folders.ts';
import { globalSource } from '../../config/files/sources.ts';
import { reviewProject, type TrustReview } from '../../config/trust/trust-review.ts';
import { namedTargets } from '../connect/choose-targets.ts';

/** What setup found, and what it would do. */
export interface Overview {
  /** Servers for all projects. */
  readonly findings: Findings;
  /** Servers of the working folder, which setup leaves alone. */
  readonly ofProject: readonly FoundServer[];
  readonly plan: ImportPlan;
  /** The records of clients after the import. */
  readonly records: Readonly<Record<string, ClientServers>>;
  /** Clients with servers that are not connected yet. */
  readonly targets: readonly ConnectTarget[];
  /** Clients that are already connected. */
  readonly connected: readonly ConnectTarget[];
  readonly lost: readonly LostConnection[];
  /** Servers that the working folder's own config files define. */
  readonly review: TrustReview;
}

/**
 * Finds the servers of all clients and of the working folder. Writes nothing and starts nothing. `names` limits the
 * clients to connect.
 */
export async function loadOverview(names: readonly string[], environment: Environment): Promise<Overview> {
  const found = await findServers(environment);
  // Importing them would add a file to the project, and their own client would list them twice.
  const isOfProject = ({ project }: FoundServer) => project !== undefined;
  const files = found.files.map((file) => ({ ...file, servers: file.servers.filter((one) => !isOfProject(one)) }));
  const findings = { files, problems: found.problems };
  const plan = planImport(mergeServers(files.flatMap(({ servers }) => servers)), {
    environment,
    mayReplace: false,
    sourceOf: () => globalSource(environment),
  });
  const all = namedTargets(names.length > 0 ? names : clientsWithServers(findings));
  const recorded = new Set(
    openConnections(environment)
      .readAll()
      .map(({ client }) => client),
  );
  const isConnected = ({ client }: ConnectTarget) => recorded.has(client.id);
  return {
    findings,
    ofProject: found.files.flatMap(({ servers }) => servers.filter(isOfProject)),
    plan,
    records: plannedRecords(plan, { files, environment }),
    targets: all.filter((target) => !isConnected(target) && (names.length > 0 || isInstalled(target, environment))),
    connected: all.filter(isConnected),
    lost: findLostConnections(environment),
    review: reviewProject({ ...environment, dir: environment.cwd }),
  };
}

/** Returns the servers that the import would add. */
export function addedServers({ servers }: ImportPlan): ImportPlan['servers'] {
  return servers.filter(({ action }) => action === 'added');
}

/** A client whose servers are all off would see none. */
function clientsWithServers({ files }: Findings): readonly ClientId[] {
  const having = files.filter(({ servers }) => servers.some(({ entry }) => entry['enabled'] !== false));
  return [...new Set(having.flatMap(({ client }) => client ?? []))];
}

function plannedRecords(
  { servers }: ImportPlan,
  { files, environment }: Pick<Findings, 'files'> & { readonly environment: Environment },
): Overview['records'] {
  const now = openClientServers(environment).readAll();
  const clients = [...new Set(files.flatMap(({ client }) => client ?? []))];
  const changed = clients.map(
    (client) => [client, recordAfter(client, { before: now[client], files, servers })] as const,
  );
  return { ...now, ...Object.fromEntries(changed) };
}

/** Returns whether there is neither a server to import, nor a client to connect, nor a project to trust. */
export function hasNothingToDo({ plan, targets, review }: Overview): boolean {
  const needsTrust = review.entries.some(({ wasTrusted, isSwitchedOff }) => !wasTrusted && !isSwitchedOff);
  return addedServers(plan).length === 0 && targets.length === 0 && !needsTrust;
}
