import '#testing';
