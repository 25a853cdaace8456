import { isObject } from '../wire/messages.ts';
import { negotiateVersion } from '../wire/protocol-versions.ts';
import type { ServerInfo } from './server.ts';

/** The part of a server that the handshake describes. */
export interface ServerDescription {
  readonly info: ServerInfo;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Only its presence matters: it declares the resources capability. */
  readonly resources?: unknown;
  /** Likewise: it declares the prompts capability. Both declare completions. */
  readonly prompts?: unknown;
}

/** Returns the result of `initialize`. */
export function initializeResult(server: ServerDescription, params: unknown): Readonly<Record<string, unknown>> {
  return {
    protocolVersion: negotiateVersion(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities: capabilitiesOf(server),
    serverInfo: serverInfo(server),
    ...instructionsOf(server),
  };
}

/** Returns the capabilities that a server declares in both eras. */
export function capabilitiesOf(server: ServerDescription): Readonly<Record<string, unknown>> {
  const { capabilities, resources, prompts } = server;
  if (capabilities !== undefined) return capabilities;
  return {
    ...{ tools: { listChanged: true }, logging: {} },
    ...(resources === undefined ? {} : { resources: { subscribe: true, listChanged: true } }),
    ...(prompts === undefined ? {} : { prompts: { listChanged: true } }),
    ...(prompts === undefined && resources === undefined ? {} : { completions: {} }),
  };
}

export function serverInfo({ info }: ServerDescription): Readonly<Record<string, unknown>> {
  const { instructions: _, extra, ...visible } = info;
  // Spread twice: first to fix the member order, then so that `extra` cannot replace the name.
  return extra === undefined ? visible : { ...visible, ...extra, ...visible };
}

export function instructionsOf({ info }: ServerDescription): { instructions?: string } {
  return info.instructions === undefined ? {} : { instructions: info.instructions };
}
