import { AppError, toAppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import {
  DEFAULT_PIECE_BYTES,
  type PiecePlace,
  READ_RESULT_TOOL,
  type ResultPiece,
  type StoredResults,
} from './stored-results.ts';
import { errorMessage, MAX_TEXT_BYTES, type ToolMessage } from './tool-message.ts';

export interface ReadResultTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Never throws. */
  run(args: unknown): ToolMessage;
}

/** Creates the model tool that reads on in a shortened result. `maxBytes` is the text limit that shortened it. */
export function createReadResultTool(storedResults: StoredResults, { maxBytes = MAX_TEXT_BYTES } = {}): ReadResultTool {
  const defaultBytes = Math.min(DEFAULT_PIECE_BYTES, maxBytes);
  return {
    name: READ_RESULT_TOOL,
    description:
      'Reads a range of a tool result that was too large to return at once. The shortened result contains the ' +
      'reference and the next offset. Only the latest results are kept.',
    parameters: parametersFor(maxBytes, defaultBytes),
    run(args) {
      try {
        const { reference, ...place } = readArguments(args, maxBytes);
        return toMessage(reference, storedResults.read(reference, { length: defaultBytes, ...place }));
      } catch (error) {
        // For this tool an unknown reference is a wrong argument: there is no resource list to consult.
        const { code, message } = toAppError(error);
        return errorMessage(new AppError(code === 'RESOURCE_NOT_FOUND' ? 'BAD_ARGUMENTS' : code, message));
      }
    },
  };
}

function parametersFor(maxBytes: number, defaultBytes: number): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: {
      reference: { type: 'string', description: 'From the shortened result, such as result-1-0a1b2c3d.' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'The first byte to read.' },
      length: {
        type: 'integer',
        minimum: 1,
        maximum: maxBytes,
        default: defaultBytes,
        description: 'The number of bytes to read.',
      },
      part: {
        type: 'integer',
        minimum: 1,
        description: 'A part that was left out, to read instead of the text. Media is in base64.',
      },
    },
    required: ['reference'],
    additionalProperties: false,
  };
}

function readArguments(args: unknown, maxBytes: number): PiecePlace & { readonly reference: string } {
  if (!isObject(args)) throw badArguments('the arguments must be an object with a reference');
  const { reference, offset, length, part, ...others } = args;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw badArguments(`${oneLine(unknown, 100)} is unknown; use reference, offset, length and part`);
  }
  if (typeof reference !== 'string') throw badArguments('reference must be a string from the shortened result');
  return {
    reference,
    ...wholeNumber('offset', offset, { least: 0 }),
    ...wholeNumber('length', length, { least: 1, most: maxBytes }),
    ...wholeNumber('part', part, { least: 1 }),
  };
}

function wholeNumber(
  name: string,
  value: unknown,
  { least, most }: { readonly least: number; readonly most?: number },
) {
  // Models write null for omitted arguments.
  if (value === undefined || value === null) return {};
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= (most ?? value)) {
    return { [name]: value };
  }
  throw badArguments(
    `${name} must be a whole number ${most === undefined ? `from ${least} on` : `from ${least} to ${most}`}`,
  );
}

function badArguments(what: string): AppError {
  return new AppError('BAD_ARGUMENTS', `${READ_RESULT_TOOL}: ${what}.`);
}

/** The position comes first, so that a model sees it before the text. */
function toMessage(reference: string, { text: piece, start, end, total, kept }: ResultPiece): ToolMessage {
  const rest = end < kept ? `; the next offset is ${end}` : `; ${kept < total ? 'no more is kept' : 'this is the end'}`;
  const text = `[${reference}, bytes ${start}–${end} of ${total}${rest}]\n${piece}`;
  return { content: [{ type: 'text', text }], text, is_error: false };
}
