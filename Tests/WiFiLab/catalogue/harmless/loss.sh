# every third packet lost
layer=gateway? options=(--timeout 2s --recheck 1s --fall 3) cycles=10
inject() { impair loss 30%; }
heal() { impair_nothing; }
