import { messageOf } from '../../../base/errors.ts';
import { type Environment, resolvePath } from '../../../config/files/folders.ts';
import { type ConfigWatcher, watchConfig } from '../../../config/watch/watch-config.ts';
import { loadTls, type TlsFiles } from './load-tls.ts';
import type { TlsPaths } from './plan-http.ts';

export interface WatchTlsOptions {
  readonly environment: Environment;
  /** The files that are in use. */
  readonly current: TlsFiles;
  /** Uses renewed files for new connections. */
  readonly use: (renewed: TlsFiles) => void;
  /** Called with a sentence to display. */
  readonly report: (text: string) => void;
}

/** Uses a renewed certificate without a restart. Files that cannot be used change nothing and are reported. */
export function watchTls(paths: TlsPaths, { environment, current, use, report }: WatchTlsOptions): ConfigWatcher {
  let inUse = current;

  const reload = () => {
    try {
      const renewed = loadTls(paths, environment);
      if (renewed.cert.equals(inUse.cert) && renewed.key.equals(inUse.key)) return;
      use(renewed);
      inUse = renewed;
      for (const text of ['New connections use the renewed certificate.', ...renewed.warnings]) report(text);
    } catch (error) {
      report(`${messageOf(error)} The previous certificate stays in use.`);
    }
  };

  const files = [paths.cert, paths.key].map((path) => resolvePath(path, environment));
  const watcher = watchConfig({ files, onChange: reload, onProblem: report, debounceMs: DEBOUNCE_MS });
  // The files may have changed since they were read.
  reload();
  return watcher;
}

/** Programs that renew certificates write the two files one after the other. */
const DEBOUNCE_MS = 1_000;
