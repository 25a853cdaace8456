import type { CommandContext } from '../main.ts';

export async function mcpResources(_args: readonly string[], _context: CommandContext): Promise<void> {}
