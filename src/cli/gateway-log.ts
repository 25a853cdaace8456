import { oneLine } from '../base/text.ts';
import { describeNotification } from '../gateway/describe-notification.ts';
import type { GatewayLog } from '../gateway/gateway.ts';
import type { GatewaySettings } from '../gateway/settings.ts';
import type { Output } from './output.ts';

const SILENT: GatewayLog = { debug: () => {}, notification: () => {} };

/** Details on stderr, for whoever set `DEBUG=1`; for everybody else nothing, at no cost. */
export function createGatewayLog(
  output: Output,
  { isDebug }: GatewaySettings,
  redact: (text: string) => string,
): GatewayLog {
  if (!isDebug) return SILENT;
  return {
    debug: (text) => output.complain(`[switchboard] ${oneLine(redact(text), MAX_LENGTH)}`),
    notification: (upstream, message) => output.complain(redact(describeNotification(message, upstream.id))),
  };
}

const MAX_LENGTH = 2000;
