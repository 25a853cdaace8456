import { readObject } from '../../../config/json/decode.ts';
import { parseJsonText } from '../../../config/json/json-value.ts';
import { removeMember, setMember } from '../../../config/write/edit-member.ts';
import type { DocumentFormat } from './document-format.ts';

/** JSON, also with comments and trailing commas. */
export const jsonFormat: DocumentFormat = {
  empty: '{}\n',
  parse: (text, file) => readObject(parseJsonText(file, Buffer.from(text), { allowsComments: true })),
  set: (text, path, value) => withoutMark(text, (plain) => setMember(plain, path, value)),
  remove: (text, path) => withoutMark(text, (plain) => removeMember(plain, path)),
};

/** Some editors write a byte order mark, which is no part of the JSON. */
function withoutMark(text: string, change: (plain: string) => string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}${change(text.slice(1))}` : change(text);
}

const BYTE_ORDER_MARK = '\ufeff';
