import { AppError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { explainEntry } from '../../config/entry/explain-entry.ts';
import { loadDefinitions } from '../../config/load-config.ts';
import { formatLocation } from '../../config/problem.ts';
import type { RunningStatus, ServerDetail } from '../../control/status/running-status.ts';
import { createStatusProvider, type StatusProvider } from '../../gateway/status/control-status.ts';
import { createSingleStatusProvider } from '../../gateway/status/single-control-status.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';
import type { ControlledGateway } from './control.ts';
import { loadOptions } from './open.ts';

/** Answers requests on the control socket of a running gateway. */
export interface ControlRequestHandler {
  handle(method: string, params: unknown): unknown;
}

export function createControlRequestHandler(controlled: ControlledGateway): ControlRequestHandler {
  const running = describe(controlled, () => []);
  return {
    handle(method, params) {
      if (method === 'mcp.list') return status(running, controlled);
      if (method === 'mcp.get') return detail(controlled, requireStringParam({ method, params }, 'id'));
      throw new AppError('METHOD_NOT_FOUND', `A gateway does not support ${method}.`);
    },
  };
}

type SettingsOf = (serverId: string) => ServerDetail['settings'];

function describe(
  { gateway, aggregate, options, redactor, view }: ControlledGateway,
  settingsOf: SettingsOf,
): StatusProvider {
  if (aggregate === undefined) return createSingleStatusProvider(gateway, { command: options.command ?? [], redactor });
  const { hasPrefix, profile } = options;
  return createStatusProvider(aggregate, { hasPrefix, profile, settingsOf, redactor, view });
}

/** Reads the files again, because the config may name other lines by now. */
async function detail(controlled: ControlledGateway, id: string): Promise<ServerDetail> {
  const { aggregate, options, context } = controlled;
  const definitions = aggregate && (await loadDefinitions(loadOptions(options, context)));
  const settingsOf: SettingsOf = (serverId) => {
    const values = (definitions && explainEntry(definitions, serverId)?.values) ?? [];
    return values.map(({ key, shown, file, line }) => ({ key, value: shown, place: formatLocation(file, line) }));
  };
  return describe(controlled, settingsOf).get(id);
}

async function status(
  running: StatusProvider,
  { options, context, startedAt, url, http }: ControlledGateway,
): Promise<RunningStatus> {
  const { cwd } = context;
  const [configFile, ...otherConfigFiles] = options.config;
  return {
    ...{ v: 1, role: 'gateway', pid: process.pid, version: VERSION, startedAt, cwd },
    ...(configFile === undefined ? {} : { configFile }),
    ...(otherConfigFiles.length === 0 ? {} : { otherConfigFiles }),
    ...(url === undefined ? {} : { url }),
    ...(http === undefined ? {} : { http: http() }),
    ...(await running.list()),
  };
}
