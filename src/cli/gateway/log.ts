import { oneLine } from '../../base/text/safe-text.ts';
import type { GatewaySettings } from '../../gateway/entry/settings.ts';
import type { GatewayLog } from '../../gateway/gateway.ts';
import type { Output } from '../output.ts';
import { describeNotification } from './describe-notification.ts';

/** Logs to stderr: warnings always, details with `DEBUG=1`. */
export function createGatewayLog(
  output: Output,
  { isDebug }: GatewaySettings,
  redact: (text: string) => string,
): GatewayLog {
  const log = (text: string) => output.report(`[switchboard] ${oneLine(redact(text), MAX_LENGTH)}`);
  if (!isDebug) return { warn: log, debug: () => {}, notification: () => {} };
  return {
    warn: log,
    debug: log,
    notification: (upstream, message) => output.report(redact(describeNotification(message, upstream.id))),
  };
}

const MAX_LENGTH = 2000;
