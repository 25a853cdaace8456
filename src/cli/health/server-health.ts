/** Whether one server works. `mcp test`, `gateway --check` and `doctor` all report this. */
export interface ServerHealth {
  readonly id: string;
  readonly state: HealthState;
  /** The number of tools that clients see. */
  readonly tools: number;
}

/** `untrusted` and `disabled` servers are not started. */
export type HealthState = 'working' | 'failing' | 'untrusted' | 'disabled';

/** Part of the JSON document of each of these commands. */
export interface HealthCounts extends Readonly<Record<HealthState, number>> {
  readonly servers: number;
  readonly tools: number;
}

export function countHealth(servers: readonly ServerHealth[]): HealthCounts {
  const count = (state: HealthState) => servers.filter((server) => server.state === state).length;
  return {
    servers: servers.length,
    working: count('working'),
    failing: count('failing'),
    untrusted: count('untrusted'),
    disabled: count('disabled'),
    tools: servers.reduce((sum, { tools }) => sum + tools, 0),
  };
}

/** Formats `2 of 5 work, 1 fails, 2 disabled; 12 tools`. */
export function countsText(counts: HealthCounts): string {
  const { servers, working, failing, untrusted, disabled, tools } = counts;
  const verb = working === 1 ? 'works' : 'work';
  const some = working === servers ? (working === 1 ? '1' : `all ${working}`) : `${working} of ${servers}`;
  return `${[
    `${some} ${verb}`,
    ...(failing === 0 ? [] : [`${failing} ${failing === 1 ? 'fails' : 'fail'}`]),
    ...(untrusted === 0 ? [] : [`${untrusted} not trusted`]),
    ...(disabled === 0 ? [] : [`${disabled} disabled`]),
  ].join(', ')}; ${tools} tool${tools === 1 ? '' : 's'}`;
}
