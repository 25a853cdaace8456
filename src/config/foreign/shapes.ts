import type { JsonValue } from '../json/json-value.ts';
import { claudeShape } from './claude.ts';
import { claudeDesktopShape } from './claude-desktop.ts';
import { codexShape } from './codex.ts';
import { copilotShape } from './copilot.ts';
import { cursorShape } from './cursor.ts';
import type { ForeignShape } from './foreign-server.ts';
import { geminiShape } from './gemini.ts';
import { genericShape } from './generic.ts';
import { mcpbShape } from './mcpb.ts';
import { opencodeShape } from './opencode.ts';
import { registryShape } from './registry-server.ts';
import { vscodeShape } from './vscode.ts';
import { windsurfShape } from './windsurf.ts';
import { zedShape } from './zed.ts';

/** The shapes of the clients' own files, by client. */
export const clientShapes = {
  codex: codexShape,
  claude: claudeShape,
  'claude-desktop': claudeDesktopShape,
  cursor: cursorShape,
  vscode: vscodeShape,
  gemini: geminiShape,
  windsurf: windsurfShape,
  zed: zedShape,
  opencode: opencodeShape,
  copilot: copilotShape,
} as const satisfies Readonly<Record<string, ForeignShape>>;

/** Shapes that a file reveals by its keys. The generic shape comes last and throws for an unknown file. */
const RECOGNIZABLE: readonly ForeignShape[] = [
  mcpbShape,
  registryShape,
  zedShape,
  opencodeShape,
  vscodeShape,
  geminiShape,
  claudeShape,
  genericShape,
];

/** Returns the shape of a file of which only the content is known. */
export function recognizeShape(root: JsonValue, { isToml }: { readonly isToml: boolean }): ForeignShape {
  return isToml ? codexShape : (RECOGNIZABLE.find((shape) => shape.matches(root)) ?? genericShape);
}
