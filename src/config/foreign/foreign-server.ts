import type { Environment } from '../files/folders.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';

/** The shape of another program's config file. To add one, create a file in this folder and list it in `shapes.ts`. */
export interface ForeignShape {
  /** What the shape is called in messages: `Cursor`. */
  readonly title: string;
  /** Returns whether a file is certainly of this shape. Shapes that look like others are chosen by their path. */
  matches(root: JsonValue): boolean;
  /** Throws if the structure around the servers is invalid. A broken server is skipped and does not affect others. */
  read(root: JsonValue, place: ForeignPlace): ForeignServers;
}

/** Everything that decides what the values of a file mean. */
export interface ForeignPlace {
  readonly file: string;
  /** The project that the file belongs to; undefined for a file that applies everywhere. */
  readonly project: string | undefined;
  readonly environment: Environment;
  /** Reads another file that a value refers to; undefined if it cannot be read. */
  readText(path: string): string | undefined;
}

export interface ForeignServers {
  readonly servers: readonly ForeignServer[];
  readonly skipped: readonly SkippedServer[];
}

/** A server of another program. */
export interface ForeignServer {
  readonly name: string;
  readonly line: number;
  /** The project to which the program limits the server. */
  readonly project: string | undefined;
  /** The definition with the keys of our own config. */
  readonly entry: WrittenEntry;
  readonly notCarried: readonly NotCarried[];
}

/** A setting that our config cannot express. */
export interface NotCarried {
  /** The key in the other program's file. */
  readonly key: string;
  /** A clause that follows the key: `only Cursor uses it`. */
  readonly reason: string;
}

/** A server that cannot be translated at all. */
export interface SkippedServer {
  readonly name: string;
  readonly line: number;
  readonly reason: string;
}
