// One bounce as a script for Node.js makes it that has a child for each command; here without the pause in between.
// usage: node bounce.js INTERFACE
'use strict';
const { execFile } = require('child_process');

const set = (state, then) =>
  execFile('ip', ['link', 'set', process.argv[2], state], (error) => {
    if (error) throw error;
    then();
  });

set('down', () => set('up', () => {}));
