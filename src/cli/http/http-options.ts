import type { HttpOptions } from '../../serve/access/address/plan-http.ts';
import { type OptionRules, optionError } from '../arguments/parse-options.ts';

/** The options of an HTTP server. All have a value, which `--http` may leave out. */
export const HTTP_OPTION = '--http';
export const MORE_HTTP_OPTIONS: readonly string[] = ['--auth', '--tls-cert', '--tls-key', '--public-url'];

/** Returns the options of an HTTP server; undefined without `--http`, which the others need. */
export function readHttpOptions(
  given: ReadonlyMap<string, readonly string[]>,
  rules: Pick<OptionRules, 'command'>,
): HttpOptions | undefined {
  const value = (name: string) => given.get(name)?.[0];
  const http = value(HTTP_OPTION);
  if (http === undefined) {
    const orphan = MORE_HTTP_OPTIONS.find((name) => given.has(name));
    if (orphan !== undefined) throw optionError(`${orphan} applies only together with --http.`, rules);
    return undefined;
  }
  return {
    http: http === '' ? undefined : http,
    auth: value('--auth'),
    tlsCert: value('--tls-cert'),
    tlsKey: value('--tls-key'),
    publicUrl: value('--public-url'),
  };
}
