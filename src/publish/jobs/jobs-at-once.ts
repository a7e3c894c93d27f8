export const runningJobsMax = 4
/** In addition: jobs whose servers are slow and that hold their account's records in memory. */
export const slowJobsMax = 4
/** In addition to both: jobs that send slowly. Each holds the chunks in flight of eight files, some 6 MB. */
export const detachedJobsMax = 8
/** Apart from what runs them: the ingest thread needs the number and publishes nothing. */
export const jobsAtOnceMax = runningJobsMax + slowJobsMax + detachedJobsMax
