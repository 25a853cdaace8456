import { type ConfigFile, type FileEntry, readConfigFile } from '../files/config-file.ts';
import type { Environment } from '../files/folders.ts';
import { findProjectSources } from '../files/sources.ts';
import type { ConfigProblem, HttpSettings, Origin, StdioSettings } from '../server-entry.ts';
import type { FileView } from '../views/read-views.ts';
import type { ViewLimit } from '../views/view.ts';
import { linkedFolder } from './fingerprint.ts';
import { createTrustCheck } from './trust-check.ts';
import { isSameFile, toRecord, toViewRecord } from './trust-record.ts';
import { changeTrustStore, readTrustStore, trustFile } from './trust-store.ts';

/** Everything that the user reviews before trusting a project. */
export interface TrustReview {
  readonly entries: readonly ReviewedEntry[];
  readonly views: readonly ReviewedView[];
  /** Entries and files that cannot be trusted, because they are broken. */
  readonly problems: readonly ConfigProblem[];
  /** The files as they were read: if the user agrees, only this content is trusted. */
  readonly files: readonly ConfigFile[];
}

export interface TrustOptions extends Environment {
  /** The folder of the project. */
  readonly dir: string;
}

export interface ReviewedEntry {
  readonly id: string;
  readonly origin: Origin;
  /** The real path of the config file. */
  readonly realPath: string;
  /** As written, including values of variables and headers, which the caller must mask for display. */
  readonly transport: StdioSettings | HttpSettings | undefined;
  readonly expandsVariables: boolean;
  readonly sharesSignIn: boolean;
  readonly isSwitchedOff: boolean;
  readonly wasTrusted: boolean;
}

export interface ReviewedView {
  readonly name: string;
  readonly origin: Origin;
  readonly limit: ViewLimit;
  readonly wasTrusted: boolean;
}

/** Reads every entry of the project files that a gateway started in `dir` would read. Changes nothing. */
export function reviewProject({ dir, ...environment }: TrustOptions): TrustReview {
  const sources = findProjectSources({ ...environment, cwd: dir });
  const files = sources.flatMap((source) => readConfigFile(source) ?? []);
  const trust = createTrustCheck(readTrustStore(trustFile(environment)));
  return {
    entries: files.flatMap((file) =>
      file.entries.flatMap((entry) => toReviewed(file, entry, { wasTrusted: trust.isTrusted(file, entry) })),
    ),
    views: files.flatMap((file) => file.views.flatMap((view) => toReviewedView(view, trust.isTrustedView(file, view)))),
    problems: files.flatMap(problemsOf),
    files,
  };
}

/**
 * Trusts every entry exactly as it was reviewed, whatever its file contains now. Forgets earlier trust in entries that
 * these files no longer contain.
 */
export function acceptReview({ files }: Pick<TrustReview, 'files'>, environment: Environment): void {
  const storeFile = trustFile(environment);
  const isEmpty = !files.some(({ entries, views }) =>
    [...entries, ...views].some(({ content }) => content.kind !== 'broken'),
  );
  if (isEmpty && readTrustStore(storeFile) === undefined) return;
  // A file that is broken at the moment does not revoke earlier trust.
  const understood = files.filter(({ dialect }) => dialect !== '');
  const read = understood.map((file) => ({ file: file.realPath, folder: linkedFolder(file) }));
  changeTrustStore(storeFile, (store) => [
    ...store.records.filter((record) => !read.some((file) => isSameFile(file, record))),
    ...files.flatMap((file) => file.entries.flatMap((entry) => toRecord(store.key, file, entry))),
    ...files.flatMap((file) => file.views.flatMap((view) => toViewRecord(store.key, file, view))),
  ]);
}

function toReviewed(
  { realPath }: ConfigFile,
  { id, origin, content }: FileEntry,
  { wasTrusted }: { readonly wasTrusted: boolean },
): readonly ReviewedEntry[] {
  if (content.kind === 'broken') return [];
  const isSwitchedOff = content.kind === 'off';
  return [
    {
      id,
      origin,
      realPath,
      transport: content.transport,
      expandsVariables: content.expandsVariables,
      sharesSignIn: content.sharesSignIn,
      isSwitchedOff,
      wasTrusted,
    },
  ];
}

function toReviewedView({ name, origin, content }: FileView, wasTrusted: boolean): readonly ReviewedView[] {
  return content.kind === 'broken' ? [] : [{ name, origin, limit: content.limit, wasTrusted }];
}

function problemsOf({ problems, entries, views }: ConfigFile): readonly ConfigProblem[] {
  const contents = [...entries, ...views].map(({ content }) => content);
  return [...problems, ...contents.flatMap((content) => (content.kind === 'broken' ? content.problem : []))];
}
