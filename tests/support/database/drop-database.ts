import pg from 'pg'

// Usage: drop-database.ts <url of the server> <url of the database>, once its standard input ends.
const [server = '', database = ''] = process.argv.slice(2)
await Bun.stdin.text()
const client = new pg.Client({ connectionString: server })
await client.connect()
await client.query(`drop database if exists ${new URL(database).pathname.slice(1)} with (force)`)
await client.end()
