import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { readCachedCode } from './code-cache.ts';
import type * as SaveCode from './save-code.ts';

// The build bundles this file as CommonJS.
declare const require: (id: string) => unknown;

export interface PartLoaderOptions {
  /** Folder of the parts: the bundled files of the command line. */
  readonly root: string;
  /** Folder of the code cache. Without one, every start compiles the parts again. */
  readonly cacheFolder: string | undefined;
  /** Loads everything that is not a part. */
  readonly requireOther: (id: string) => unknown;
}

/**
 * Returns a function that loads a part by its path in `root`, like `require`, but with the code that V8 compiled in an
 * earlier run: parsing and compiling takes a quarter of the CPU time of a gateway's start.
 */
export function createPartLoader(options: PartLoaderOptions): (path: string) => unknown {
  const { root, requireOther } = options;
  const compile = createCompiler(options);
  const loaded = new Map<string, { exports: unknown }>();

  return function load(path) {
    const earlier = loaded.get(path);
    if (earlier !== undefined) return earlier.exports;
    const file = join(root, path);
    const run = compile(file);
    const module: { exports: unknown } = { exports: {} };
    loaded.set(path, module);
    const requireFrom = (id: string) => (id.startsWith('.') ? load(join(dirname(path), id)) : requireOther(id));
    run.call(module.exports, module.exports, requireFrom, module, file, dirname(file));
    return module.exports;
  };
}

type ModuleFunction = (
  this: unknown,
  exports: unknown,
  require: (id: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

const PREFIX = '(function (exports, require, module, __filename, __dirname) {';
/** A gateway may be killed instead of stopped. By now it has run everything that a start needs. */
const SAVE_AFTER_MS = 10_000;

function createCompiler({ root, cacheFolder }: PartLoaderOptions): (file: string) => ModuleFunction {
  const unsaved = new Map<string, Script>();
  return (file) => {
    const cached = cacheFolder === undefined ? undefined : readCachedCode(cacheFolder, { root, file });
    const script = new Script(`${PREFIX}${readFileSync(file, 'utf8')}\n})`, {
      filename: file,
      columnOffset: -PREFIX.length,
      cachedData: cached?.data,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    // V8 rejects code of other V8 flags. Replacing it at every change of flags would cost more than it saves.
    const isMissing = cached?.data === undefined || (script.cachedDataRejected === true && cached.isOld);
    if (cacheFolder !== undefined && cached !== undefined && isMissing) {
      if (unsaved.size === 0) saveLater(cacheFolder, unsaved);
      unsaved.set(cached.name, script);
    }
    return script.runInThisContext() as ModuleFunction;
  };
}

/** V8 compiles a function at its first call, so code saved after the work of a start includes what a start needs. */
function saveLater(cacheFolder: string, unsaved: ReadonlyMap<string, Script>): void {
  const save = () => {
    clearTimeout(timer);
    process.removeListener('exit', save);
    // Loaded synchronously: the process may be exiting.
    (require('./save-code.ts') as typeof SaveCode).saveCode(cacheFolder, unsaved);
  };
  const timer = setTimeout(save, SAVE_AFTER_MS).unref();
  process.once('exit', save);
}
