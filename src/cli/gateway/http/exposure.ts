import { describePersonalSignIns } from '../../../auth/sign-in/personal-sign-ins.ts';
import { authFile, openAuthStore } from '../../../auth/store/auth-store.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { type ConfigWatcher, watchConfig } from '../../../config/watch/watch-config.ts';
import type { AggregateGateway } from '../../../gateway/open/open-aggregate.ts';
import { createServerSharing, type ServerSharing } from '../../../gateway/servers/server-sharing.ts';

/** What a gateway does differently when other people can connect. */
export interface Exposure {
  readonly sharing: ServerSharing;
  /** Applies sign-ins that are added or removed while the gateway runs. */
  watchSignIns(gateway: Pick<AggregateGateway, 'sharingChanged'>): ConfigWatcher;
}

export interface ExposureOptions {
  readonly environment: Environment;
  readonly report: (text: string) => void;
}

/** Reports which servers act as this user for others, and which are left out: at the start and after each change. */
export function createExposure({ environment, report }: ExposureOptions): Exposure {
  let reported: readonly string[] = [];
  const sharing = createServerSharing({
    store: openAuthStore(environment),
    onDecision(signIns, problem) {
      const why = problem === undefined ? [] : [`${problem} Until then, any server may have a sign-in.`];
      const lines = [...why, ...describePersonalSignIns(signIns)];
      for (const line of lines) if (!reported.includes(line)) report(line);
      reported = lines;
    },
  });
  return {
    sharing,
    watchSignIns(gateway) {
      const onChange = () => gateway.sharingChanged();
      const watcher = watchConfig({ files: [authFile(environment)], onChange, onProblem: report });
      // Changes before this point have triggered no event.
      onChange();
      return watcher;
    },
  };
}
