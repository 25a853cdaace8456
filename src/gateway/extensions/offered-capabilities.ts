import { isObject } from '../../wire/messages.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { hasTasksExtension } from './task-messages.ts';

type Settings = Readonly<Record<string, unknown>>;

const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** Capabilities that the gateway declares itself, whichever servers it has. */
const OWN: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions', 'logging']);

/** Extensions whose requests find their server by an id, a name or a URI, so that any number of servers may offer them. */
const MERGED: ReadonlySet<string> = new Set([
  'io.modelcontextprotocol/ui',
  'io.modelcontextprotocol/tasks',
  SKILLS_EXTENSION,
]);

/**
 * Returns the capabilities that the gateway declares on behalf of its servers. Of those that it does not know, only the
 * ones that exactly one server offers: a request could otherwise reach the wrong server.
 */
export function capabilitiesOfServers(servers: readonly GatewayServer[]): Settings {
  const offered = servers.map(capabilitiesOf);
  const extensions = mergeByKey(offered.map((capabilities) => toObject(capabilities['extensions'])));
  const experimental = mergeByKey(offered.map((capabilities) => toObject(capabilities['experimental'])));
  const tasks = offered.map((capabilities) => capabilities['tasks']).filter(isObject);
  return {
    ...mergeByKey(offered.map(withoutKnown)),
    ...(tasks.length > 0 ? { tasks: mergeTasks(tasks) } : {}),
    ...(Object.keys(experimental).length > 0 ? { experimental } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
}

export function offersTasks(server: GatewayServer): boolean {
  const capabilities = capabilitiesOf(server);
  return isObject(capabilities['tasks']) || hasTasksExtension(capabilities);
}

export function offersSkills(server: GatewayServer): boolean {
  return isObject(toObject(capabilitiesOf(server)['extensions'])[SKILLS_EXTENSION]);
}

/**
 * Returns the only server that offers the unknown capability or extension to which a method belongs, judging by its
 * name: `vendor/inspect` belongs to the capability `vendor` and to the extension `com.example/vendor`. If none has such
 * a name, returns the only server that offers anything unknown.
 */
export function serverForMethod(servers: readonly GatewayServer[], method: string): GatewayServer | undefined {
  const [group = ''] = method.split('/');
  if (PROTOCOL_GROUPS.has(group)) return undefined;
  const named = servers.filter((server) => unknownNames(server).some((name) => name.split('/').at(-1) === group));
  const [only, ...others] = named.length > 0 ? named : servers.filter((server) => unknownNames(server).length > 0);
  return others.length === 0 ? only : undefined;
}

/** What the methods of the protocol and of its known extensions begin with. */
const PROTOCOL_GROUPS: ReadonlySet<string> = new Set([
  ...['server', 'subscriptions', 'notifications', 'tools', 'resources', 'prompts', 'completion', 'logging'],
  ...['sampling', 'elicitation', 'roots', 'tasks', 'skills', 'ui'],
]);

function unknownNames(server: GatewayServer): readonly string[] {
  const capabilities = capabilitiesOf(server);
  const names = ['extensions', 'experimental'].flatMap((group) => Object.keys(toObject(capabilities[group])));
  return [...names.filter((name) => !MERGED.has(name)), ...Object.keys(withoutKnown(capabilities))];
}

function capabilitiesOf({ upstream }: GatewayServer): Settings {
  return upstream.initializeResult?.capabilities ?? {};
}

function withoutKnown(capabilities: Settings): Settings {
  const isKnown = (name: string) => OWN.has(name) || ['tasks', 'extensions', 'experimental'].includes(name);
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !isKnown(name)));
}

function mergeByKey(offered: readonly Settings[]): Settings {
  const names = new Set(offered.flatMap((settings) => Object.keys(settings)));
  const merged = [...names].flatMap((name) => {
    const values = offered.filter((settings) => Object.hasOwn(settings, name)).map((settings) => settings[name]);
    if (values.length > 1 && !MERGED.has(name)) return [];
    return [[name, MERGED.has(name) ? mergeSettings(values.map(toObject)) : values[0]] as const];
  });
  return Object.fromEntries(merged);
}

/** The first server decides, except that an optional feature is available if any server has it. */
function mergeSettings(values: readonly Settings[]): Settings {
  const names = new Set(values.flatMap((settings) => Object.keys(settings)));
  return Object.fromEntries(
    [...names].map((name) => {
      const given = values.filter((settings) => Object.hasOwn(settings, name)).map((settings) => settings[name]);
      return [name, given.find((value) => value === true) ?? given[0]];
    }),
  );
}

/** A list of all tasks would show those of other clients, so `list` is not offered. */
function mergeTasks(tasks: readonly Settings[]): Settings {
  const { list: _, ...merged } = mergeSettings(tasks);
  return merged;
}

function toObject(value: unknown): Settings {
  return isObject(value) ? value : {};
}
