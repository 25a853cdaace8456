import type { ServerEntry } from '../config/server-entry.ts';
import type { Definition } from '../schema/definition.ts';
import type { UpstreamCatalog } from '../upstream/catalog.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Pin } from './pin.ts';
import type { ToolChanges } from './tool-changes.ts';

/** One server behind the gateway: its connection, what it offers, and what the config says of it. */
export interface Member {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** As the config has it now. What the process itself depends on never changes: for that there is another member. */
  entry: ServerEntry;
  readonly changes: ToolChanges;
  readonly pin: Pin;
}

/** Why a tool is not offered to anybody; undefined when it is. */
export function whyHidden({ entry, pin }: Member, tool: Definition): string | undefined {
  const { allow, deny } = entry.tools;
  if (deny.includes(tool.key)) return 'hidden: the config denies it';
  if (allow !== undefined && !allow.includes(tool.key)) return 'hidden: the config does not allow it';
  return entry.pin ? pin.whyHeld(tool) : undefined;
}
