import { isObject } from '../wire/messages.ts';
import { negotiateVersion } from '../wire/protocol-versions.ts';
import type { ServerInfo } from './server.ts';

/** What a server says about itself before anything else. */
export interface ServerDescription {
  readonly info: ServerInfo;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Whatever it is: that there are some is what is declared. */
  readonly resources?: unknown;
}

/** The answer to `initialize`. */
export function initializeResult(server: ServerDescription, params: unknown): Readonly<Record<string, unknown>> {
  return {
    protocolVersion: negotiateVersion(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities: capabilitiesOf(server),
    serverInfo: serverInfo(server),
    ...instructionsOf(server),
  };
}

/** What a server declares, in either era. */
export function capabilitiesOf({ capabilities, resources }: ServerDescription): Readonly<Record<string, unknown>> {
  if (capabilities !== undefined) return capabilities;
  const declared = { tools: { listChanged: true }, logging: {} };
  return resources === undefined ? declared : { ...declared, resources: { subscribe: true, listChanged: true } };
}

export function serverInfo({ info }: ServerDescription): Readonly<Record<string, unknown>> {
  const { instructions: _, extra, ...visible } = info;
  // Shown twice: first for the order, then because nothing may replace the name.
  return extra === undefined ? visible : { ...visible, ...extra, ...visible };
}

export function instructionsOf({ info }: ServerDescription): { instructions?: string } {
  return info.instructions === undefined ? {} : { instructions: info.instructions };
}
