import './offender-cycle.js';
