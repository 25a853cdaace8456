import type { CommandContext } from '../main.ts';

export async function mcpCall(_args: readonly string[], _context: CommandContext): Promise<void> {}
