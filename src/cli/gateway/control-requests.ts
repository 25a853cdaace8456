import { AppError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { explainEntry } from '../../config/entry/explain-entry.ts';
import { place } from '../../config/problem.ts';
import { neededText } from '../../control/socket/needed-text.ts';
import type { RunningStatus, ServerDetail } from '../../control/status/running-status.ts';
import { describeGateway, type RunningGateway } from '../../gateway/status/control-status.ts';
import { describeSingleGateway } from '../../gateway/status/single-control-status.ts';
import type { CommandContext } from '../main.ts';
import type { Controlled } from './control.ts';
import { loadOptions } from './open.ts';
import type { GatewayOptions } from './options.ts';

/** What a running gateway answers on its socket. */
export interface GatewayAnswers {
  answer(method: string, params: unknown): unknown;
}

export function createGatewayAnswers(controlled: Controlled): GatewayAnswers {
  const running = describe(controlled);
  return {
    answer(method, params) {
      if (method === 'mcp.list') return status(running, controlled);
      if (method === 'mcp.get') return running.get(neededText(params, 'id'));
      throw new AppError('METHOD_NOT_FOUND', `A gateway cannot be asked for ${method}.`);
    },
  };
}

function describe({ gateway, aggregate, options, context, redactor }: Controlled): RunningGateway {
  if (aggregate === undefined) return describeSingleGateway(gateway, { command: options.command ?? [], redactor });
  const { hasPrefix, profile } = options;
  const settingsOf = (serverId: string) => settings(serverId, options, context);
  return describeGateway(aggregate, { hasPrefix, profile, settingsOf, redactor });
}

function settings(serverId: string, options: GatewayOptions, context: CommandContext): ServerDetail['settings'] {
  const explained = explainEntry(loadOptions(options, context), serverId);
  return (explained?.values ?? []).map(({ key, shown, file, line }) => ({
    key,
    value: shown,
    place: place(file, line),
  }));
}

async function status(running: RunningGateway, { options, context, startedAt }: Controlled): Promise<RunningStatus> {
  const { cwd } = context;
  const [configFile, ...otherConfigFiles] = options.config;
  return {
    ...{ v: 1, role: 'gateway', pid: process.pid, version: VERSION, startedAt, cwd },
    ...(configFile === undefined ? {} : { configFile }),
    ...(otherConfigFiles.length === 0 ? {} : { otherConfigFiles }),
    ...(await running.list()),
  };
}
