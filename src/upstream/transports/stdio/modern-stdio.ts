import type { Frame } from '../../../wire/frame.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import { createModernAdapter, type ModernAdapter } from '../modern/modern-adapter.ts';
import { createRequestMeta } from '../modern/request-meta.ts';
import { createStdioCarrier, type StdioCarrierOptions } from './stdio-carrier.ts';

export interface ModernStdioOptions extends StdioCarrierOptions {
  readonly where: string;
  /** The result of `server/discover`. */
  readonly discovered: JsonObject;
}

/** The modern era over the pipes of a running program. */
export interface ModernStdio extends ModernAdapter {
  /** Receives every message of the server. */
  receive(frame: Frame): void;
}

export function openModernStdio(options: ModernStdioOptions): ModernStdio {
  const { where, receiver, discovered } = options;
  const carrier = createStdioCarrier(options);
  const adapter = createModernAdapter({ where, carrier, receiver, discovered, meta: createRequestMeta() });
  return { ...adapter, receive: carrier.receive };
}
