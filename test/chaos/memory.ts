import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** In MiB. Live memory is measured after a garbage collection. */
export interface MemoryWatch {
  readonly rss: { readonly before: number; readonly most: number; readonly after: number };
  readonly live: { readonly before: number; readonly after: number };
  sample(): void;
  end(): void;
}

const MIB = 1024 * 1024;

export function watchMemory(): MemoryWatch {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const rssNow = () => process.memoryUsage.rss() / MIB;
  const liveNow = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / MIB;
  };
  const live = { before: liveNow(), after: Number.NaN };
  const rss = { before: rssNow(), most: rssNow(), after: Number.NaN };
  const sample = () => {
    rss.most = Math.max(rss.most, rssNow());
  };
  return {
    rss,
    live,
    sample,
    end() {
      sample();
      live.after = liveNow();
      rss.after = rssNow();
    },
  };
}
