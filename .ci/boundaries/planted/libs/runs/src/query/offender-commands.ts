import '../command/index.js';
