// Prints when setInterval fires: a line with the nanoseconds of the monotonic clock each time.
// usage: node ticks.js MILLISECONDS
'use strict';
const { writeSync } = require('fs');

setInterval(() => writeSync(1, `${process.hrtime.bigint()}\n`), Number(process.argv[2]));
