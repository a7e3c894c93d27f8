// What `sitehost mcp` uses of the SDK: a file of its own in the package (`scripts/build-cli.ts`), which nothing else loads.

export { Server } from '@modelcontextprotocol/sdk/server/index.js'
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
export { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
