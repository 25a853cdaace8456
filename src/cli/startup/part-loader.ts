import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { type CodeCache, readCachedCode } from './code-cache.ts';
import type * as SaveCode from './save-code.ts';

// The build bundles this file as CommonJS.
declare const require: (id: string) => unknown;

export interface PartLoaderOptions {
  /** Folder of the parts: the bundled files of the command line. */
  readonly root: string;
  /** Without a code cache, every start compiles the parts again. */
  readonly cache: CodeCache | undefined;
  /** Loads what is not a part of its own: CommonJS modules, and ES modules. */
  readonly outside: Outside;
}

interface Outside {
  readonly require: (id: string) => unknown;
  readonly import: (id: string) => Promise<unknown>;
}

export interface PartLoader {
  /** Loads a part by its path in `root`, like `require`. */
  readonly load: (path: string) => unknown;
  /** From now on, this process saves no compiled code. */
  readonly stopSavingCode: () => void;
}

/**
 * Loads parts with the code that V8 compiled in an earlier run: parsing and compiling takes a quarter of the CPU time
 * of a gateway's start.
 */
export function createPartLoader(options: PartLoaderOptions): PartLoader {
  const { root, outside } = options;
  const { compile, stopSavingCode } = createCompiler(options);
  const loaded = new Map<string, { exports: unknown }>();

  function load(path: string): unknown {
    const earlier = loaded.get(path);
    if (earlier !== undefined) return earlier.exports;
    const file = join(root, path);
    const run = compile(file);
    const module: { exports: unknown } = { exports: {} };
    loaded.set(path, module);
    const isPart = (id: string) => id.startsWith('.');
    const requireFrom = (id: string) => (isPart(id) ? load(join(dirname(path), id)) : outside.require(id));
    const importFrom = (id: string) => outside.import(isPart(id) ? pathToFileURL(join(dirname(file), id)).href : id);
    run.call(module.exports, module.exports, requireFrom, module, file, dirname(file), importFrom);
    return module.exports;
  }

  return { load, stopSavingCode };
}

type ModuleFunction = (
  this: unknown,
  exports: unknown,
  require: (id: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
  importModule: (id: string) => Promise<unknown>,
) => void;

/** The build replaces `import(` in the parts with `Import(`: a script from the code cache cannot import. */
const PREFIX = '(function (exports, require, module, __filename, __dirname, Import) {';
/** A server may be killed instead of stopped. By now it has run everything that a start needs. */
const SAVE_AFTER_MS = 10_000;

interface Compiler {
  readonly compile: (file: string) => ModuleFunction;
  readonly stopSavingCode: () => void;
}

function createCompiler({ root, cache }: PartLoaderOptions): Compiler {
  const unsaved = new Map<string, Script>();
  let isSaving = true;

  function compile(file: string): ModuleFunction {
    const cached = cache === undefined ? undefined : readCachedCode(cache.folder, { root, file });
    const script = new Script(`${PREFIX}${readFileSync(file, 'utf8')}\n})`, {
      filename: file,
      columnOffset: -PREFIX.length,
      cachedData: cached?.data,
    });
    // V8 rejects code of other V8 flags. Replacing it at every change of flags would cost more than it saves.
    const isMissing = cached?.data === undefined || (script.cachedDataRejected === true && cached.isOld);
    if (isSaving && cache !== undefined && cached !== undefined && isMissing) {
      if (unsaved.size === 0) saveLater(cache, unsaved);
      unsaved.set(cached.name, script);
    }
    return script.runInThisContext() as ModuleFunction;
  }

  return {
    compile,
    stopSavingCode() {
      isSaving = false;
      unsaved.clear();
    },
  };
}

/** V8 compiles a function at its first call, so code saved after the work of a start includes what a start needs. */
function saveLater(cache: CodeCache, unsaved: ReadonlyMap<string, Script>): void {
  const save = (mayCreate: boolean) => {
    clearTimeout(timer);
    process.removeListener('exit', onExit);
    if (unsaved.size === 0) return;
    // Loaded synchronously: the process may be exiting.
    (require('./save-code.ts') as typeof SaveCode).saveCode(cache, unsaved, { mayCreate });
  };
  const timer = setTimeout(save, SAVE_AFTER_MS, true).unref();
  const onExit = () => save(false);
  process.once('exit', onExit);
}
