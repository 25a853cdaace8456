import { AppError } from '../base/errors.ts';
import { oneLine } from '../base/text/safe-text.ts';

/** Explains why a connection failed or broke, with the address and what to do. The message has no dot at its end. */
export function toConnectionError(error: NodeJS.ErrnoException, where: string): AppError {
  const { code = '', message } = error;
  const known = Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
  if (known !== undefined) return new AppError('UNREACHABLE', `${where}: ${known} (${code})`, { cause: error });
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return new AppError(
      'UNREACHABLE',
      `${where} does not speak TLS at this port (${code}): does its URL begin with http://?`,
      {
        cause: error,
      },
    );
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const message = `${where} closed the connection before it answered (${code})`;
    return new AppError('CONNECTION_CLOSED', message, { cause: error });
  }
  if (isCertificateFault(code)) {
    const advice = 'If your own authority signed it, set NODE_EXTRA_CA_CERTS to the certificate of that authority';
    return new AppError('UNREACHABLE', `${where}: its certificate is not accepted (${code}). ${advice}`, {
      cause: error,
    });
  }
  return new AppError('CONNECTION_CLOSED', `${where}: ${oneLine(message || code)}`, { cause: error });
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'nothing answered in time',
  EADDRNOTAVAIL: 'no connection can be made to this address',
};

/** Returns whether the connection failed before the server can have read any of the request. */
export function isUndelivered(error: NodeJS.ErrnoException): boolean {
  const { code = '' } = error;
  return Object.hasOwn(CAUSES, code) || code === 'EPROTO' || isCertificateFault(code);
}

/** Matches the codes of OpenSSL and Node. No request is sent before the certificate is accepted. */
function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS|ERR_SSL/.test(code);
}
