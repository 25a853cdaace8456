import { AppError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { explainEntry } from '../../config/entry/explain-entry.ts';
import { formatLocation } from '../../config/problem.ts';
import { requireStringParam } from '../../control/socket/needed-text.ts';
import type { RunningStatus, ServerDetail } from '../../control/status/running-status.ts';
import { createStatusProvider, type StatusProvider } from '../../gateway/status/control-status.ts';
import { createSingleStatusProvider } from '../../gateway/status/single-control-status.ts';
import type { CommandContext } from '../command-context.ts';
import type { ControlledGateway } from './control.ts';
import { loadOptions } from './open.ts';
import type { GatewayOptions } from './options.ts';

/** Answers requests on the control socket of a running gateway. */
export interface ControlRequestHandler {
  handle(method: string, params: unknown): unknown;
}

export function createControlRequestHandler(controlled: ControlledGateway): ControlRequestHandler {
  const running = describe(controlled);
  return {
    handle(method, params) {
      if (method === 'mcp.list') return status(running, controlled);
      if (method === 'mcp.get') return running.get(requireStringParam(params, 'id'));
      throw new AppError('METHOD_NOT_FOUND', `A gateway cannot be asked for ${method}.`);
    },
  };
}

function describe({ gateway, aggregate, options, context, redactor }: ControlledGateway): StatusProvider {
  if (aggregate === undefined) return createSingleStatusProvider(gateway, { command: options.command ?? [], redactor });
  const { hasPrefix, profile } = options;
  const settingsOf = (serverId: string) => settings(serverId, options, context);
  return createStatusProvider(aggregate, { hasPrefix, profile, settingsOf, redactor });
}

function settings(serverId: string, options: GatewayOptions, context: CommandContext): ServerDetail['settings'] {
  const explained = explainEntry(loadOptions(options, context), serverId);
  return (explained?.values ?? []).map(({ key, shown, file, line }) => ({
    key,
    value: shown,
    place: formatLocation(file, line),
  }));
}

async function status(
  running: StatusProvider,
  { options, context, startedAt }: ControlledGateway,
): Promise<RunningStatus> {
  const { cwd } = context;
  const [configFile, ...otherConfigFiles] = options.config;
  return {
    ...{ v: 1, role: 'gateway', pid: process.pid, version: VERSION, startedAt, cwd },
    ...(configFile === undefined ? {} : { configFile }),
    ...(otherConfigFiles.length === 0 ? {} : { otherConfigFiles }),
    ...(await running.list()),
  };
}
