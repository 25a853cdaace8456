import { isObject } from '../wire/messages.ts';
import { negotiate } from '../wire/protocol-versions.ts';
import type { ServerInfo } from './server.ts';

/** What a server says about itself before anything else. */
export interface Introduction {
  readonly info: ServerInfo;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Whatever it is: that there are some is what is declared. */
  readonly resources?: unknown;
}

/** The answer to `initialize`. */
export function answerHello(server: Introduction, params: unknown): Readonly<Record<string, unknown>> {
  return {
    protocolVersion: negotiate(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities: capabilitiesOf(server),
    serverInfo: serverInfo(server),
    ...instructionsOf(server),
  };
}

/** What a server declares, in either era. */
export function capabilitiesOf({ capabilities, resources }: Introduction): Readonly<Record<string, unknown>> {
  if (capabilities !== undefined) return capabilities;
  const declared = { tools: { listChanged: true }, logging: {} };
  return resources === undefined ? declared : { ...declared, resources: { subscribe: true, listChanged: true } };
}

export function serverInfo({ info }: Introduction): Readonly<Record<string, unknown>> {
  const { instructions: _, extra, ...shown } = info;
  // Shown twice: first for the order, then because nothing may replace the name.
  return extra === undefined ? shown : { ...shown, ...extra, ...shown };
}

export function instructionsOf({ info }: Introduction): { instructions?: string } {
  return info.instructions === undefined ? {} : { instructions: info.instructions };
}
