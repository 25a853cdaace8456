import type { CommandContext } from '../main.ts';

export async function mcpTools(_args: readonly string[], _context: CommandContext): Promise<void> {}
