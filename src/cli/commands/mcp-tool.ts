import type { CommandContext } from '../main.ts';

export async function mcpTool(_args: readonly string[], _context: CommandContext): Promise<void> {}
