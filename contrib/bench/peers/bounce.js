// One bounce by a typical script for Node.js, which starts a child process for each command; here without a pause.
// usage: node bounce.js INTERFACE
'use strict';
const { execFile } = require('child_process');

const set = (state, then) =>
  execFile('ip', ['link', 'set', process.argv[2], state], (error) => {
    if (error) throw error;
    then();
  });

set('down', () => set('up', () => {}));
